import { createInterface } from "node:readline/promises";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine } from "@parley/command/print";

/** Something that cannot be taken back. */
interface Destructive {
  /** What is done, as in `remove the space Support`. */
  readonly what: string;
  /** What a person types to agree, as the name of the thing. */
  readonly typed: string;
  /** Whether `--yes` was given. */
  readonly yes: boolean | undefined;
}

/**
 * Returns if a person has agreed, by `--yes` or by typing what a terminal asks for. Throws `CommandError`
 * otherwise, and if there is no terminal.
 */
export async function confirm(
  { stdin, stderr, isTerminal }: Io,
  { what, typed, yes }: Destructive,
): Promise<void> {
  if (yes) return;
  const about = oneLine(what);
  if (!isTerminal.stdin || !isTerminal.stderr) {
    throw new CommandError(`This would ${about}. Add --yes to confirm`);
  }
  const lines = createInterface({ input: stdin, output: stderr });
  const left = Promise.withResolvers<undefined>();
  // The end of the input, and Ctrl-C.
  lines.once("close", () => left.resolve(undefined));
  try {
    const question = `This will ${about}. Type ${oneLine(typed)} to confirm: `;
    const answer = await Promise.race([lines.question(question), left.promise]);
    // The cursor is still behind the question.
    if (answer === undefined) stderr.write("\n");
    if (answer?.trim() !== oneLine(typed))
      throw new CommandError("Not confirmed; nothing was done");
  } finally {
    lines.close();
  }
}
