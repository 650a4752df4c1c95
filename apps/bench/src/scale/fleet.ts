import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startProcess } from "../child-process.ts";
import { cliFile, Demo, unlimited } from "../parley-server.ts";

/** How many processes of each kind. */
export interface FleetSize {
  readonly apis: number;
  readonly workers: number;
}

/** Separate APIs and workers on one PostgreSQL and one Redis. */
export interface Fleet {
  readonly size: FleetSize;
  readonly demo: Demo;
  readonly apis: readonly { readonly pid: number; readonly url: string }[];
  readonly workerPids: readonly number[];
}

/** What the processes of each kind are told of where their database and their Redis are. */
export interface FleetAddresses {
  readonly api: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
  readonly worker: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
}

/** Starts the built server as separate processes, without rate limits. */
export async function startFleet(
  resources: AsyncDisposableStack,
  size: FleetSize,
  addresses: FleetAddresses,
): Promise<Fleet> {
  const directory = await mkdtemp(path.join(tmpdir(), "parley-bench-"));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const start = (kind: "api" | "worker", ...flags: string[]) =>
    startProcess(resources, {
      name: `A process of parley ${kind}`,
      arguments: [cliFile, kind, ...flags],
      environment: {
        PARLEY_PORT: "0",
        PARLEY_DATA_DIR: directory,
        PARLEY_LOG_LEVEL: "warn",
        PARLEY_SHUTDOWN_DELAY_MS: "0",
        PARLEY_MAX_STREAMS_PER_KEY: "10000",
        PARLEY_MAX_STREAMS_PER_WORKSPACE: "10000",
        PARLEY_MAX_CONNECTIONS_PER_ADDRESS: "20000",
        ...unlimited,
        ...addresses[kind],
      },
    });
  const apis = [];
  for (let index = 0; index < size.apis; index++) {
    const process = start("api", ...(index === 0 ? ["--demo"] : []));
    const url = await process.waitFor(() => /listens on (http:\S+)/.exec(process.output())?.[1]);
    apis.push({ pid: process.pid, url });
  }
  const workerPids = [];
  for (let index = 0; index < size.workers; index++) {
    const process = start("worker");
    await process.waitFor(() => (process.output().includes("Parley works") ? true : undefined));
    workerPids.push(process.pid);
  }
  const demo = Demo.parse(JSON.parse(await readFile(path.join(directory, "demo.json"), "utf8")));
  return { size, demo, apis, workerPids };
}
