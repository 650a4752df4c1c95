import process from "node:process";
import { isatty } from "node:tty";
import type { Io } from "@parley/command/io";
import { connectClients } from "./connection/clients.ts";
import { runProgram } from "./run-program.ts";

/** As of a process that SIGPIPE ended: who read the output has left, as `head` does. */
const READER_LEFT = 141;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(READER_LEFT);
  throw error;
});
// What cannot be said must not end what is done.
process.stderr.on("error", () => {});
// New files are readable by their owner only.
process.umask(0o077);

const io: Io = {
  // A process opens its standard input only when a command reads it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
  environment: process.env,
  signal: process,
  exit: (code) => process.exit(code),
};

const code = await runProgram(process.argv.slice(2), io, connectClients);
// A command that is done leaves nothing open but a server that serves.
if (code !== 0) process.exit(code);
