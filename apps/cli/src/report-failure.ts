import { CommandError } from "./command-error.ts";
import type { Context } from "./context.ts";
import { describeFailure } from "./describe-failure.ts";
import { reportLine } from "./print.ts";

/** Prints why a command failed, in one sentence; returns what the process exits with. */
export function reportFailure(context: Context, error: unknown): number {
  reportLine(context.io, `parley: ${describeFailure(context, error)}`);
  return error instanceof CommandError ? error.exitCode : 1;
}
