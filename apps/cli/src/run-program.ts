import { reportFailure } from "@parley/command/failures";
import type { Io } from "@parley/command/io";
import { reportLine } from "@parley/command/print";
import { CommanderError } from "commander";
import type { Connect } from "./connection/clients.ts";
import type { Context } from "./connection/context.ts";
import { createContext, createProgram, describeMistake } from "./program.ts";
import { canChoose } from "./terminal/choose-one.ts";

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
  if (args.length === 0) {
    createProgram(context).outputHelp();
    return 0;
  }
  try {
    await runChosen(context, args);
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(context, error);
    // Help and version have been printed.
    if (error.exitCode === 0) return 0;
    // A group without a command has shown its commands.
    if (error.code !== "commander.help") reportLine(io, `parley: ${describeMistake(error)}`);
    if (context.state.isOverdue) io.exit(CALLED_WRONGLY);
    return CALLED_WRONGLY;
  }
  if (context.state.isOverdue) io.exit(context.state.exitCode);
  return context.state.exitCode;
}

/** Runs the command; what it lacks is chosen by who can be asked. Throws why it failed. */
async function runChosen(context: Context, args: readonly string[]): Promise<void> {
  try {
    await createProgram(context, args[0]).parseAsync(args, { from: "user" });
  } catch (error) {
    const isMistake = error instanceof CommanderError && /\.missing/.test(error.code);
    if (!isMistake || !canChoose(context.io)) throw error;
    const { chooseMissing } = await import("./completion/choose-missing.ts");
    const whole = await chooseMissing(context, args, error);
    if (whole === undefined) throw error;
    await runChosen(context, whole);
  }
}
