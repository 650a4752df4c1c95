import type { Runner } from "./choose-runner.ts";
import { runProgram } from "./run-program.ts";

/** How a PostgreSQL is stopped: with a checkpoint, or at once. */
interface Stop {
  readonly pid: number;
  readonly mode: "fast" | "immediate";
}

/**
 * Signals a PostgreSQL to stop, as its own account: the process id comes from a file of that account, and
 * root must not signal other processes for it. A server that has already ended is not an error.
 */
export async function stopServer(
  cluster: string,
  { account, programs }: Runner,
  { pid, mode }: Stop,
): Promise<void> {
  const command =
    process.platform === "win32"
      ? [programs.pgCtl, "stop", "-W", "-D", cluster, "-m", mode]
      : ["/bin/sh", "-c", 'kill -s "$0" "$1"', mode === "fast" ? "INT" : "QUIT", String(pid)];
  await runProgram(account, command, "/").catch(() => {});
}
