/** What is wrong at a place of a text. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  readonly message: string;
  /** An error keeps the text from being used; a warning does not. */
  readonly severity: "error" | "warning";
}

/** What can be written at a place. */
export interface Suggestion {
  readonly label: string;
  /** What it is, as in `function`. */
  readonly type: string;
  /** More about it, as its type. */
  readonly detail?: string;
}

/** Reads along with what is written. */
export interface Assistant {
  readonly findProblems: (text: string) => Promise<readonly Problem[]>;
  readonly suggest: (text: string, offset: number) => Promise<readonly Suggestion[]>;
}

/** What a text is written in. */
export type Language = "typescript" | "javascript" | "json" | "markdown" | "python" | "text";

/** The language of a file by its name. */
export function languageOf(path: string): Language {
  if (/\.[mc]?ts$/.test(path)) return "typescript";
  if (/\.[mc]?js$/.test(path)) return "javascript";
  if (path.endsWith(".json")) return "json";
  if (path.endsWith(".md")) return "markdown";
  return path.endsWith(".py") ? "python" : "text";
}
