import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** The server drains for up to 9 s when it is asked to stop. */
const STOP_WITHIN_MS = 12_000;
const READY_WITHIN_MS = 60_000;
const POLL_MS = 25;
const MAX_OUTPUT = 8192;

export interface ProcessOptions {
  /** What messages call it. */
  readonly name: string;
  /** What it runs; Node by default. */
  readonly program?: string;
  readonly arguments: readonly string[];
  /** Its whole environment: nothing of this process's own reaches it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it exchanges messages with this process. */
  readonly messages?: boolean;
}

/** A process that this one started. */
export interface RunningProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The end of what it has printed. */
  output(): string;
  /** Resolves with the first value that `look` finds. Throws when the process ends before that. */
  waitFor<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T>;
}

/** Starts a process that ends, at the latest, with `resources`. */
export function startProcess(
  resources: AsyncDisposableStack,
  options: ProcessOptions,
): RunningProcess {
  const { name, program = process.execPath, environment = {}, messages = false } = options;
  let child: ChildProcess | undefined;
  // Comes first: it throws when the resources are already given back, and then nothing starts.
  resources.defer(() => stopProcess(child));
  child = spawn(program, options.arguments, {
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe", ...(messages ? (["ipc"] as const) : [])],
  });
  let output = "";
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT));
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  let ended: string | undefined;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", (code, signal) => (ended ??= `it ended with ${signal ?? code}`));
  const started = child;
  return {
    child: started,
    pid: started.pid ?? -1,
    output: () => output,
    waitFor: async (look) => {
      const deadline = performance.now() + READY_WITHIN_MS;
      while (performance.now() < deadline) {
        const found = await look();
        if (found !== undefined) return found;
        if (ended !== undefined) throw new Error(`${name}: ${ended}\n${output}`);
        await sleep(POLL_MS);
      }
      throw new Error(`${name}: not ready within ${READY_WITHIN_MS / 1000} s\n${output}`);
    },
  };
}

/** Asks a process to stop, and ends it when it does not in time. */
async function stopProcess(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await exited;
  clearTimeout(timer);
}

export interface ListeningOptions extends Omit<ProcessOptions, "arguments"> {
  /** Its arguments, for the port that it is to listen on. */
  readonly argumentsFor: (port: number) => Promise<readonly string[]> | readonly string[];
}

/** A process that listens on a port of this machine. */
export interface ListeningProcess extends RunningProcess {
  readonly port: number;
}

/** Starts a process on a free port. Resolves once it takes connections. */
export async function startListening(
  resources: AsyncDisposableStack,
  { argumentsFor, ...options }: ListeningOptions,
): Promise<ListeningProcess> {
  const port = await findFreePort();
  const started = startProcess(resources, { ...options, arguments: await argumentsFor(port) });
  await started.waitFor(async () => ((await listens(port)) ? true : undefined));
  return { ...started, port };
}

/** A port of this machine that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port was free");
  return address.port;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Makes a directory that is gone with `resources`. */
export async function makeDirectory(
  resources: AsyncDisposableStack,
  parent = path.join(tmpdir(), "parley-bench-"),
): Promise<string> {
  const directory = await mkdtemp(parent);
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Keeps all threads of a process on one core. Does nothing if `taskset` or a core is missing. */
export async function pinToCore(pid: number, core: number): Promise<boolean> {
  if (core >= availableParallelism()) return false;
  try {
    await promisify(execFile)("taskset", ["-a", "-c", "-p", String(core), String(pid)]);
    return true;
  } catch {
    return false;
  }
}
