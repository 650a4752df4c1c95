import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { KillReason } from "../contract.ts";
import type { User } from "../other-user.ts";
import { limitCommand } from "./limit-command.ts";
import { createWatch, lowerPriority, type Target } from "./watch.ts";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { Readable, type Writable } from "node:stream";

/** A file takes as much of a disk, however little it contains: its name and its place. */
const FILE_BYTES = 512;

/** What the files below a folder take, links not followed; it stops counting past `enough`. */
async function bytesOnDisk(folder: string, enough: number): Promise<number> {
  let bytes = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && bytes <= enough; next = folders.pop()) {
    // What is looked at may just have been removed.
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const place = path.join(next, entry.name);
      if (entry.isDirectory()) folders.push(place);
      const found = await lstat(place).catch(() => undefined);
      bytes += FILE_BYTES + (found?.size ?? 0);
      if (bytes > enough) break;
    }
  }
  return bytes;
}

/** What a program may use, with everything that it starts. */
export interface ProgramLimits {
  readonly timeoutMs: number;
  /** Processor time of all of its processes. */
  readonly cpuMs: number;
  /** Memory of all of its processes, looked at every `WATCH_MS`. */
  readonly memoryBytes: number;
  /** Space of addresses of each of its processes, which the kernel refuses to exceed. */
  readonly addressBytes: number;
  /** What it may write to its standard output and error together. */
  readonly outputBytes: number;
  /** What it may write below a folder, and as one file. */
  readonly disk?: { readonly folder: string; readonly bytes: number };
}

export interface WatchedProgram {
  readonly command: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its standard input; of bytes that come one after the other, no more is read than it takes. */
  readonly input?: string | AsyncIterable<Uint8Array>;
  readonly limits: ProgramLimits;
  /** The user that it becomes; undefined for that of this process. */
  readonly user?: User | undefined;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

/** The limit that ended a program. */
export type Excess = "time" | "processor" | "memory" | "output" | "disk";

export interface EndedProgram {
  /** Null if it was killed, 127 if there is no such program. */
  readonly status: number | null;
  readonly output: Buffer;
  readonly errors: string;
  readonly exceeded: Excess | undefined;
}

const DISK_WATCH_MS = 250;

/**
 * Runs a program on what a stranger wrote, to its end: in a group of its own, watched from outside and killed as a
 * whole if it exceeds a limit. If there is no /proc, only time and output are watched. Throws if it cannot
 * be started, the reason of the signal, and the error of an input.
 */
export async function runWatched(program: WatchedProgram): Promise<EndedProgram> {
  const { env, input, limits, signal, user } = program;
  signal?.throwIfAborted();
  const limited = limitCommand(
    {
      cpuS: Math.ceil(limits.cpuMs / 1000) + 1,
      addressBytes: limits.addressBytes,
      fileBytes: limits.disk?.bytes,
    },
    program.command,
  );
  const started = spawn(limited.command, limited.arguments, {
    ...user,
    env,
    // Another user may not even see the folder of this process.
    ...(user !== undefined && { cwd: "/" }),
    // A group of its own, which ends as one.
    detached: process.platform !== "win32",
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const { pid = -1 } = started;
  lowerPriority(started.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let exceeded: Excess | undefined;
  const endFor = (excess: Excess): void => {
    exceeded ??= excess;
    endGroup(started.pid);
  };
  const kill = (reason: KillReason): void =>
    endFor(reason === "out_of_memory" ? "memory" : "processor");
  const target: Target = { pid, lowered: true, kill };
  const abort = (): void => endGroup(started.pid);
  const watch = createWatch();
  watch.start(target, { ...limits, cpuMs: Infinity, groupCpuMs: limits.cpuMs });
  const timer = setTimeout(() => endFor("time"), limits.timeoutMs);
  const disk = watchDisk(limits, () => endFor("disk"));
  signal?.addEventListener("abort", abort, { once: true });
  let written = 0;
  const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
    written += chunk.length;
    if (written > limits.outputBytes) endFor("output");
    else chunks.push(chunk);
  };
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  started.stdout.on("data", collect(output));
  started.stderr.on("data", collect(errors));
  // It may end without reading.
  started.stdin.on("error", () => {});
  const source = sendInput(started.stdin, input, abort);
  // Whatever it has started and left behind would keep its output open.
  started.once("exit", () => endGroup(started.pid));
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      started.once("close", resolve);
      started.once("error", reject);
    });
    signal?.throwIfAborted();
    source?.throwIfFailed();
    await disk?.look();
    return {
      status,
      output: Buffer.concat(output),
      errors: Buffer.concat(errors).toString(),
      exceeded,
    };
  } finally {
    clearTimeout(timer);
    disk?.stop();
    source?.stop();
    watch.end(target);
    signal?.removeEventListener("abort", abort);
    endGroup(started.pid);
  }
}

/** Sends an input; one that fails ends the program. */
function sendInput(
  stdin: Writable,
  input: string | AsyncIterable<Uint8Array> | undefined,
  abort: () => void,
) {
  if (input === undefined || typeof input === "string") {
    stdin.end(input);
    return undefined;
  }
  const source = Readable.from(input, { objectMode: false });
  let failure: unknown;
  source.once("error", (error) => {
    failure = error;
    abort();
  });
  // A program that has ended takes no more.
  stdin.once("close", () => source.destroy());
  source.pipe(stdin);
  return {
    throwIfFailed: () => {
      if (failure !== undefined) throw failure;
    },
    stop: () => source.destroy(),
  };
}

/** Looks at what is written as it grows, and once more when the program has ended. */
function watchDisk({ disk }: ProgramLimits, exceed: () => void) {
  if (disk === undefined) return undefined;
  const look = async (): Promise<void> => {
    if ((await bytesOnDisk(disk.folder, disk.bytes)) > disk.bytes) exceed();
  };
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined));
  }, DISK_WATCH_MS);
  return { look, stop: () => clearInterval(timer) };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
