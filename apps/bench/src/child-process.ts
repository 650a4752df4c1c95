import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

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
