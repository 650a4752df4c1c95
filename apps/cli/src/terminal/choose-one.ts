import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine, shorten } from "@parley/command/print";

/** Choices that are shown at once. */
const MAX_SHOWN = 10;

/** What the process exits with if a person has left by Ctrl-C or Escape. */
const CANCELLED = 130;

/** One of several things that a person chooses from. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Whether a person can be asked: what a command prints may go elsewhere. */
export const canChoose = ({ isTerminal }: Io): boolean => isTerminal.stdin && isTerminal.stderr;

/** Lets a person choose by arrow keys, or by typing a part of a name. Throws `CommandError` if they leave. */
export async function chooseOne(
  { stdin: input, stderr: output }: Io,
  { message, choices }: { readonly message: string; readonly choices: readonly Choice[] },
): Promise<string> {
  const { autocomplete, isCancel } = await import("@clack/prompts");
  const options = choices.map(({ id, name, description }) => {
    return { value: id, label: oneLine(name), hint: shorten(description) };
  });
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  // A terminal that is gone types nothing more.
  input.once("end", leave);
  if (input.readableEnded) leave();
  const shown = { message, options, maxItems: MAX_SHOWN };
  const chosen = await autocomplete({ ...shown, input, output, signal: leaving.signal });
  input.off("end", leave);
  if (isCancel(chosen)) {
    throw new CommandError("Nothing was chosen; nothing was done", { exitCode: CANCELLED });
  }
  return chosen;
}
