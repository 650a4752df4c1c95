import { readFile } from "node:fs/promises";
import path from "node:path";
import {
  type Demo,
  type Place,
  type Program,
  settingsFor,
  type Settings,
  startProgram,
  within,
} from "../server.ts";

/** A replica of the API that serves. */
export interface ApiReplica extends Program {
  readonly url: string;
}

/** The processes of a server: some APIs, some workers, each at its place permanently. */
export interface Fleet extends AsyncDisposable {
  readonly demo: Demo;
  readonly apis: (ApiReplica | undefined)[];
  readonly workers: (Program | undefined)[];
  /** Kills a process without a warning, and starts another one in its place. */
  replaceApi(index: number, signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  replaceWorker(index: number, signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** What all processes have logged of errors that nobody expects. */
  unexpected(): string[];
}

/** What clients know of a server. */
export type Replicas = Pick<Fleet, "apis" | "demo">;

/** What the processes are told; those of one kind may be told more. */
interface FleetSettings extends Settings {
  readonly apis?: Settings;
  /** The same for all, or by their index. */
  readonly workers?: Settings | ((index: number) => Settings);
}

/** Starts the processes of a server on one database and one Redis. */
export async function startFleet(
  place: Place,
  count: { apis: number; workers: number },
  { apis: ofApis = {}, workers: ofWorkers = {}, ...settings }: FleetSettings,
): Promise<Fleet> {
  const shared = { ...settingsFor(place), PARLEY_SHUTDOWN_DELAY_MS: "500", ...settings };
  const ended: Program[] = [];

  const startApi = async (...flags: string[]): Promise<ApiReplica> => {
    const program = startProgram(["api", ...flags], { ...shared, ...ofApis });
    const [, url = ""] = await saysThat(program, /Parley listens on (http:\S+)/);
    return { ...program, url };
  };
  const startWorker = async (index: number): Promise<Program> => {
    const own = typeof ofWorkers === "function" ? ofWorkers(index) : ofWorkers;
    const program = startProgram(["worker"], { ...shared, ...own });
    await saysThat(program, /Worker started/);
    return program;
  };
  const end = async (program: Program | undefined, signal: "SIGKILL" | "SIGTERM") => {
    if (program === undefined) return;
    ended.push(program);
    program.signal(signal);
    const code = await within(25_000, program.exited);
    if (signal === "SIGTERM" && code !== 0) {
      throw new Error(`A process ended with ${code}:\n${program.output.stderr.slice(-4000)}`);
    }
  };

  // All but the one that makes the demo workspace start at once on tables that none has made.
  const [apis, workers] = await Promise.all([
    Promise.all(
      Array.from({ length: count.apis }, (_, index) =>
        startApi(...(index === 0 ? ["--demo"] : [])),
      ),
    ),
    Promise.all(Array.from({ length: count.workers }, (_, index) => startWorker(index))),
  ]);
  const file = await readFile(path.join(place.directory, "demo.json"), "utf8");
  const fleet: Fleet = {
    // Written by the program.
    demo: JSON.parse(file) as Demo,
    apis,
    workers,
    replaceApi: async (index, signal) => {
      const before = fleet.apis[index];
      fleet.apis[index] = undefined;
      await end(before, signal);
      fleet.apis[index] = await startApi();
    },
    replaceWorker: async (index, signal) => {
      const before = fleet.workers[index];
      fleet.workers[index] = undefined;
      await end(before, signal);
      fleet.workers[index] = await startWorker(index);
    },
    unexpected: () =>
      [...ended, ...fleet.apis, ...fleet.workers]
        .flatMap((program) => program?.output.stderr.split("\n") ?? [])
        .filter((line) =>
          /"level":60|not listed|Unhandled|FATAL ERROR|RangeError|TypeError/.test(line),
        ),
    [Symbol.asyncDispose]: async () => {
      const left = [...fleet.apis, ...fleet.workers];
      await Promise.all(left.map((program) => end(program, "SIGTERM")));
    },
  };
  return fleet;
}

async function saysThat(program: Program, pattern: RegExp): Promise<RegExpExecArray> {
  let gone = false;
  void program.exited.then(() => (gone = true));
  for (let waited = 0; waited < 60_000; waited += 20) {
    const match = pattern.exec(program.output.stdout);
    if (match !== null) return match;
    if (gone) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`A process did not start:\n${program.output.stderr.slice(-4000)}`);
}
