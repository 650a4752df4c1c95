import { CommandError } from "./command-error.ts";
import { describeFailure } from "./describe-failure.ts";

/** Prints why the command failed, in one sentence, and exits. */
export function fail(error: unknown): never {
  process.stderr.write(`parley: ${describeFailure(context, error)}\n`);
  process.exit(error instanceof CommandError ? error.exitCode : 1);
}
