import { readdirSync, readlinkSync } from "node:fs";
import { readFile, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Runner } from "./choose-runner.ts";
import { listens, socketPath } from "./endpoint.ts";
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

/** How long a left-over PostgreSQL may take to stop, and when the stop becomes immediate. */
const STOP_MS = 10_000;
const CUT_MS = 2000;

/**
 * Ends a PostgreSQL that a killed Parley has left on a locked cluster. The result is the process that the
 * lock file of the cluster names, if it is not that server: process ids are reused, in containers after
 * every restart.
 */
export async function endPredecessor(cluster: string, runner: Runner): Promise<number | undefined> {
  const startedAt = performance.now();
  for (;;) {
    const name = path.join(cluster, "postmaster.pid");
    const file = await readFile(name, "utf8").catch(() => undefined);
    if (file === undefined) return undefined;
    const [pid = Number.NaN, port = 0] = [0, 3].map((line) => Number(file.split("\n")[line]));
    if (!Number.isInteger(pid) || pid <= 0) {
      // Torn, as by a full disk: it names nobody, and PostgreSQL would refuse it forever.
      if (process.platform === "linux") {
        await killOrphans(cluster);
        await rm(name);
      }
      return undefined;
    }
    const folder = file.split("\n")[4] ?? "";
    const at = folder === "" ? port : socketPath(folder, port);
    // Only the server that wrote the file listens there.
    if (!(await listens(at))) return pid;
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > STOP_MS) return undefined;
    await stopServer(cluster, runner, { pid, mode: elapsedMs < CUT_MS ? "fast" : "immediate" });
    await sleep(50);
  }
}

/**
 * Kills the processes that a killed PostgreSQL has left: one in the middle of a statement does not notice,
 * and holds the shared memory that the next server needs. Their working directory is the cluster.
 */
export async function killOrphans(cluster: string): Promise<void> {
  if (process.platform !== "linux") return;
  const directory = await realpath(cluster);
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    try {
      const [cwd, program = ""] = ["cwd", "exe"].map((name) =>
        readlinkSync(`/proc/${pid}/${name}`),
      );
      const isIts = cwd === directory && /^postgres\b/.test(path.basename(program));
      if (isIts) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
