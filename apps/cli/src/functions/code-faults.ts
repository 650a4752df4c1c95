import { CommandError } from "@parley/command/command-error";
import { type BundleFault, isPackageFile, type Issue } from "@parley/schema";

/** A fault of code as the server writes it: `index.ts:3:14: Unexpected "}" | const x = }`. */
const LOCATED = /^(.+?):(\d+):(\d+): ([^]*)$/;
const MAX_LINE_CHARACTERS = 200;

type Files = Readonly<Record<string, string>>;

/**
 * The error for a program that the server cannot bundle: each fault as compilers print it, with its line and a
 * caret. Undefined for other errors.
 */
export function describeCodeFaults(error: unknown, files: Files): CommandError | undefined {
  const { data } = ((error as Error).cause ?? {}) as { data?: { issues?: readonly Issue[] } };
  const faults = (data?.issues ?? []).filter(({ path }) => path === "program.source");
  if (faults.length === 0) return undefined;
  const lines = faults.flatMap(({ message }) => describeIssue(message, files));
  return new CommandError(
    [`Push failed: ${countErrors(faults)} in your code`, ...lines].join("\n"),
  );
}

/** The error for a program that cannot be bundled here. */
export function describeBundleFaults(faults: readonly BundleFault[], files: Files): CommandError {
  const lines = faults.flatMap((fault) => describeFault(fault, files));
  return new CommandError([`${countErrors(faults)} in your code`, ...lines].join("\n"));
}

const countErrors = ({ length }: { readonly length: number }): string =>
  length === 1 ? "1 error" : `${length} errors`;

function describeIssue(written: string, files: Files): string[] {
  const [, file = "", line = "", column = "", rest = written] = LOCATED.exec(written) ?? [];
  const source = lineOf(files, file, Number(line));
  const message = source === undefined ? rest : withoutLine(rest, source);
  return describeFault({ file, line: Number(line), column: Number(column), message }, files);
}

const lineOf = (files: Files, file: string, line: number): string | undefined =>
  files[file]?.split(/\r?\n/)[line - 1];

function describeFault(
  { file, line, column, message }: Omit<BundleFault, "sourceLine">,
  files: Files,
): string[] {
  const source = lineOf(files, file, line);
  // A package's file is not shown: its lines may be as long as it.
  const place = line > 0 ? `${file}:${line}:${column}: ` : "";
  const described = withoutControls(`${place}${message}`);
  if (source === undefined || isPackageFile(file)) return [described];
  const before = source.slice(0, column - 1);
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
