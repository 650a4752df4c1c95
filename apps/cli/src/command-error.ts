import { CommanderError } from "commander";

/** A command that cannot be executed as it was called; the message says what would be right. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** The arguments of a command are wrong, and nothing was done; `command` as in `parley tools update`. */
export const calledWrongly = (command: string, message: string): CommanderError =>
  Object.assign(new CommanderError(2, "parley.called_wrongly", message), { command });
