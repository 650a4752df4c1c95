import { reportFailure } from "@parley/command/failures";
import type { Io } from "@parley/command/io";
import { reportLine } from "@parley/command/print";
import { CommanderError } from "commander";
import type { Connect } from "./connection/clients.ts";
import { createContext, createProgram, describeMistake } from "./program.ts";

/** What a command was given is wrong; nothing was done. */
const CALLED_WRONGLY = 2;

/**
 * Runs `parley` with these arguments, and says on standard error why it failed. Returns what the process exits with
 * once the command is done; a server that was started still serves then.
 */
export async function runProgram(
  args: readonly string[],
  io: Io,
  connect: Connect,
): Promise<number> {
  const context = createContext(io, connect);
  const program = createProgram(context);
  if (args.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(context, error);
    // Help and version have been printed.
    if (error.exitCode === 0) return 0;
    // A group without a command has shown its commands.
    if (error.code !== "commander.help") reportLine(io, `parley: ${describeMistake(error)}`);
    return CALLED_WRONGLY;
  }
  if (context.state.isOverdue) io.exit(context.state.exitCode);
  return context.state.exitCode;
}
