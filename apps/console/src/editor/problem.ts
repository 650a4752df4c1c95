/** A problem at a position of a text. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  readonly message: string;
  /** An error keeps the text from being used; a warning does not. */
  readonly severity: "error" | "warning";
}

/** A completion at a position of a text. */
export interface Suggestion {
  readonly label: string;
  /** What it is, as in `function`. */
  readonly type: string;
  /** More about it, such as its type. */
  readonly detail?: string;
}

/** Assists with a text while it is edited. */
export interface Assistant {
  readonly findProblems: (text: string) => Promise<readonly Problem[]>;
  readonly suggest: (text: string, offset: number) => Promise<readonly Suggestion[]>;
}

/** The language of a text. */
export type Language = "typescript" | "javascript" | "json" | "markdown" | "python" | "text";

/** The language of a file by its name. */
export function languageOf(path: string): Language {
  if (/\.[mc]?ts$/.test(path)) return "typescript";
  if (/\.[mc]?js$/.test(path)) return "javascript";
  if (path.endsWith(".json")) return "json";
  if (path.endsWith(".md")) return "markdown";
  return path.endsWith(".py") ? "python" : "text";
}
