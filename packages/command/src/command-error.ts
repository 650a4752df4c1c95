import { CommanderError } from "commander";

interface CommandErrorOptions extends ErrorOptions {
  /** What the process exits with; 1 by default. */
  readonly exitCode?: number;
}

/** A command that cannot be executed as it was called; the message says what would be right. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: CommandErrorOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The arguments of a command are wrong, and nothing was done; `command` as in `parley tools update`. */
export const calledWrongly = (command: string, message: string): CommanderError =>
  Object.assign(new CommanderError(2, "parley.called_wrongly", message), { command });
