import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { eventually } from "../server.ts";

const run = promisify(execFile);

/** A time at which PostgreSQL's log had been forced to the disk. */
export interface Sync {
  /** When the call came back, in milliseconds since 1970. */
  readonly endedAt: number;
}

export interface SyncTrace {
  /** Lets the processes go, and gives what they forced to the disk in the order of time. */
  stop(): Promise<Sync[]>;
}

const CALLS = "fsync,fdatasync";
/** As in `1700000000.123456 fdatasync(5</…/pg_wal/000000010000000000000001>) = 0 <0.000812>`. */
const SYNC_OF_LOG = /^(\d+\.\d+) f(?:data)?sync\(\d+<[^>]*\/pg_wal\/[^>]*>\) += 0 <(\d+\.\d+)>$/;

/** Why no process can be traced here; nothing if one can. */
export async function whyNoTrace(): Promise<string | undefined> {
  if (process.platform !== "linux") return "strace is for Linux";
  const isThere = await run("strace", ["-V"]).then(
    () => true,
    () => false,
  );
  if (!isThere) return "strace is not installed";
  // Attaching may be refused if starting is allowed.
  const traced = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    const { stop } = await attach([traced.pid ?? 0]);
    await stop();
    return undefined;
  } catch (error) {
    return `strace cannot attach: ${(error as Error).message.trim()}`;
  } finally {
    traced.kill("SIGKILL");
  }
}

/** Traces a postmaster, the processes that it has and those that it is going to have. */
export async function traceSyncs(postmaster: number): Promise<SyncTrace> {
  const { stdout } = await run("ps", ["-o", "pid=", "--ppid", String(postmaster)]);
  return attach([postmaster, ...stdout.trim().split(/\s+/).map(Number)]);
}

async function attach(processes: readonly number[]): Promise<SyncTrace> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-trace-"));
  const which = processes.flatMap((pid) => ["-p", String(pid)]);
  // A file for each process, in which no call is cut in two by another's.
  const how = ["-ff", "-ttt", "-T", "-y", "-e", `trace=${CALLS}`, "-o", path.join(folder, "of")];
  const strace = spawn("strace", [...how, ...which], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(strace, "close");
  let said = "";
  strace.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const detach = async (): Promise<void> => {
    strace.kill("SIGINT");
    await ended;
  };
  await using attached = new AsyncDisposableStack();
  attached.defer(() => rm(folder, { recursive: true }));
  attached.defer(detach);
  await eventually(async () => {
    if (strace.exitCode !== null) return { stop: new Error(said) };
    const isWhole = processes.every((pid) => said.includes(`Process ${pid} attached`));
    return isWhole ? { value: true } : {};
  }, 10_000);
  const all = attached.move();
  return {
    stop: async () => {
      await using _ = all;
      await detach();
      const files = await readdir(folder);
      const texts = await Promise.all(
        files.map((file) => readFile(path.join(folder, file), "utf8")),
      );
      return texts.flatMap(syncsIn).toSorted((a, b) => a.endedAt - b.endedAt);
    },
  };
}

function syncsIn(text: string): Sync[] {
  return text
    .split("\n")
    .map((line) => SYNC_OF_LOG.exec(line))
    .filter((match) => match !== null)
    .map(([, at, seconds]) => ({ endedAt: (Number(at) + Number(seconds)) * 1000 }));
}
