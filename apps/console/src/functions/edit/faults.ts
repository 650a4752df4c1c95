import type { Issue } from "parley-client";
import type { Problem } from "../../editor/problem.ts";
import { placeOfPath } from "../../editor/json-places.ts";
import type { FunctionDraft } from "./draft.ts";

/** An error of code as the server reports it: `index.ts:3:14: Unexpected "}" | const x = }`. */
const LOCATED = /^(.+?):(\d+):(\d+): ([^]*)$/;

/** Problems that the server found in a draft, by location. */
export interface Faults {
  /** By file path. */
  readonly files: Readonly<Record<string, readonly Problem[]>>;
  /** By JSON field of the draft. */
  readonly texts: Readonly<Partial<Record<keyof FunctionDraft, readonly Problem[]>>>;
}

/** Assigns the issues of a refused draft to its files and fields. */
export function faultsOf(draft: FunctionDraft, issues: readonly Issue[]): Faults {
  const files: Record<string, Problem[]> = {};
  const texts: Partial<Record<keyof FunctionDraft, Problem[]>> = {};
  for (const { path, message } of issues) {
    if (path === "program.source") {
      const { file, problem } = codeFault(draft, message) ?? {};
      if (file !== undefined && problem !== undefined) (files[file] ??= []).push(problem);
      continue;
    }
    const found = textAt(path);
    if (found === undefined) continue;
    const place = placeOfPath(draft[found.name], found.rest);
    (texts[found.name] ??= []).push({ ...place, message, severity: "error" });
  }
  return { files, texts };
}

function codeFault({ files }: FunctionDraft, written: string) {
  const [, file, line, column, rest = ""] = LOCATED.exec(written) ?? [];
  const source = file === undefined ? undefined : files[file]?.split(/\r?\n/)[Number(line) - 1];
  if (file === undefined || source === undefined) return undefined;
  const problem: Problem = {
    line: Number(line),
    column: Number(column),
    message: withoutLine(rest, source),
    severity: "error",
  };
  return { file, problem };
}

/** A message without the source line that the server appends, truncated if it is long. */
function withoutLine(written: string, source: string): string {
  for (const { index } of written.matchAll(/ \| /g)) {
    if (source.startsWith(written.slice(index + 3))) return written.slice(0, index);
  }
  return written;
}

const textsByPath = {
  inputSchema: "inputSchema",
  outputSchema: "outputSchema",
  "program.behaviour": "behaviour",
} as const;

function textAt(path: string) {
  for (const [prefix, name] of Object.entries(textsByPath)) {
    if (path === prefix) return { name, rest: "" };
    if (path.startsWith(`${prefix}.`)) return { name, rest: path.slice(prefix.length + 1) };
    if (path.startsWith(`${prefix}[`)) return { name, rest: path.slice(prefix.length) };
  }
  return undefined;
}
