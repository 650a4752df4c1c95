import process from "node:process";
import { fail } from "./fail.ts";
import { CommanderError, createProgram, describeMistake } from "./program.ts";

/** What a command was given is wrong; nothing was done. */
const CALLED_WRONGLY = 2;

/** As of a process that SIGPIPE ended: who read the output has left, as `head` does. */
const READER_LEFT = 141;

async function main(): Promise<void> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(READER_LEFT);
    throw error;
  });
  // What cannot be said must not end what is done.
  process.stderr.on("error", () => {});
  // New files are readable by their owner only.
  process.umask(0o077);
  const program = createProgram();
  if (process.argv.length === 2) return program.outputHelp();
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version have been printed.
    if (error.exitCode === 0) return;
    process.exitCode = CALLED_WRONGLY;
    // A group without a command has shown its commands.
    if (error.code === "commander.help") return;
    process.stderr.write(`parley: ${describeMistake(error)}\n`);
  }
}

await main().catch(fail);
