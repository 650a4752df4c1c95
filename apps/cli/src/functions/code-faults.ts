import { CommandError } from "@parley/command/command-error";
import type { Issue } from "@parley/schema";

/** A fault of code as the server writes it: `index.ts:3:14: Unexpected "}" | const x = }`. */
const LOCATED = /^(.+?):(\d+):(\d+): ([^]*)$/;
const MAX_LINE_CHARACTERS = 200;

/**
 * The error for a program that the server cannot bundle: each fault as compilers print it, with its line and a
 * caret. Undefined for other errors.
 */
export function describeCodeFaults(
  error: unknown,
  files: Readonly<Record<string, string>>,
): CommandError | undefined {
  const { data } = ((error as Error).cause ?? {}) as { data?: { issues?: readonly Issue[] } };
  const faults = (data?.issues ?? []).filter(({ path }) => path === "program.source");
  if (faults.length === 0) return undefined;
  const lines = faults.flatMap(({ message }) => describeFault(message, files));
  const count = faults.length === 1 ? "1 error" : `${faults.length} errors`;
  return new CommandError([`Push failed: ${count} in your code`, ...lines].join("\n"));
}

function describeFault(written: string, files: Readonly<Record<string, string>>): string[] {
  const [, file = "", line = "", column = "", rest = written] = LOCATED.exec(written) ?? [];
  const source = files[file]?.split(/\r?\n/)[Number(line) - 1];
  if (source === undefined) return [withoutControls(rest)];
  const message = withoutLine(rest, source);
  const described = withoutControls(`${file}:${line}:${column}: ${message}`);
  const before = source.slice(0, Number(column) - 1);
  if (before.length > MAX_LINE_CHARACTERS) return [described];
  const shown = source.slice(0, MAX_LINE_CHARACTERS);
  // Tabs stay, so that the caret is below its place.
  return [described, `  ${withoutControls(shown)}`, `  ${before.replaceAll(/[^\t]/g, " ")}^`];
}

/** The server repeats the line after the message, cut if it is long; both may have the words between them. */
function withoutLine(message: string, source: string): string {
  for (let at = message.indexOf(" | "); at > 0; at = message.indexOf(" | ", at + 1)) {
    if (source.startsWith(message.slice(at + 3))) return message.slice(0, at);
  }
  return message;
}

const withoutControls = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => (character === "\t" ? character : " "));
