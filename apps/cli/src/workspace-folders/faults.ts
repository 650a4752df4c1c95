import { CommandError } from "../command-error.ts";
import { oneLine } from "../plain.ts";

/** What is wrong with a file of a folder. */
export interface Fault {
  /** Its path in the folder. */
  readonly file: string;
  readonly line?: number | undefined;
  /** Names the member where there is one. */
  readonly message: string;
}

/** The error for the faults of a folder: each with its file, and line. */
export function refuseFaults(folder: string, faults: readonly Fault[]): CommandError {
  const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
  return new CommandError(
    [`${folder} has ${count}, and nothing was changed`, ...faults.map(describeFault)].join("\n"),
  );
}

function describeFault({ file, line, message }: Fault): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `  ${oneLine(place)}: ${oneLine(message)}`;
}
