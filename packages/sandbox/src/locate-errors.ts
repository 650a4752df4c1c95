import { SourceMap, type SourceMapPayload } from "node:module";
import type { ProgramBundle } from "@parley/schema";

/** Calls that an error shows. */
const MAX_CALLS = 10;
const CALL = /^\s*at (?:(.*) \()?bundle\.js:(\d+):(\d+)\)?$/;

/** The message of an error with the calls that led to it, in the files of the author. */
export function locateErrors(
  { message, stack }: { readonly message: string; readonly stack: string },
  { map }: ProgramBundle,
): string {
  const calls = stack
    .split("\n", 200)
    .map((line) => CALL.exec(line))
    .filter((call) => call !== null)
    .slice(0, MAX_CALLS);
  if (calls.length === 0) return message;
  const source = readMap(map);
  const located = calls.map(([, name = "<anonymous>", line, column]) => {
    return `    at ${name} (${locate(source, Number(line), Number(column))})`;
  });
  return [message, ...located].join("\n");
}

function readMap(map: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(map) as SourceMapPayload);
  } catch {
    return undefined;
  }
}

function locate(source: SourceMap | undefined, line: number, column: number): string {
  const found = source?.findEntry(line - 1, column - 1);
  if (found === undefined || !("originalSource" in found)) return `bundle.js:${line}:${column}`;
  return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
}
