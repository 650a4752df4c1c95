import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { makeDirectory, startProcess } from "../child-process.ts";
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
  const directory = await makeDirectory(resources);
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
    await process.waitFor(() => (process.output().includes("Worker started") ? true : undefined));
    workerPids.push(process.pid);
  }
  const demo = Demo.parse(JSON.parse(await readFile(path.join(directory, "demo.json"), "utf8")));
  return { size, demo, apis, workerPids };
}

/** Followers of one answer, and how long its tokens are: enough that a process has no time left. */
const FOLLOWERS = 200;
const TOKENS = 1000;

/** What followers got. */
export interface Delivered {
  readonly events: number;
  readonly elapsedMs: number;
}

/** Lets an agent answer, and counts the events that all its followers get, spread over the APIs. */
export async function followAnswer(fleet: Fleet): Promise<Delivered> {
  const { workspaceId, adminKey } = fleet.demo;
  const [first] = fleet.apis;
  const rpc = createRpcClient({ url: first?.url ?? "", apiKey: adminKey });
  const { agentConfiguration: agent } = await rpc.agents.create.mutate({
    wId: workspaceId,
    name: `Talker ${performance.now()}`,
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: "token ".repeat(TOKENS) }], tokenDelayMs: 5 },
  });
  const { conversation } = await rpc.conversations.create.mutate({
    wId: workspaceId,
    message: { content: "Talk", mentions: [{ configurationId: agent.sId }] },
  });
  const messageId = conversation.content[1]?.[0]?.sId ?? "";
  const stream = `/api/sse/v1/w/${workspaceId}/assistant/conversations/${conversation.sId}/messages/${messageId}/events`;
  const startedAt = performance.now();
  const counts = await Promise.all(
    Array.from({ length: FOLLOWERS }, (_, index) => {
      const { url = "" } = fleet.apis[index % fleet.apis.length] ?? {};
      return countFrames(url + stream, adminKey);
    }),
  );
  const events = counts.reduce((sum, count) => sum + count, 0);
  return { events, elapsedMs: performance.now() - startedAt };
}

/** Counts the frames of a stream until it ends; to read them would cost more than to send them. */
function countFrames(url: string, key: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { agent: false, headers: { authorization: `Bearer ${key}` } };
  const request = http.get(url, options, (response) => {
    if (response.statusCode !== 200) reject(new Error(`A stream answered ${response.statusCode}`));
    let count = 0;
    response.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf("data:"); at !== -1; at = chunk.indexOf("data:", at + 5)) count++;
    });
    response.on("end", () => resolve(count));
    response.on("error", reject);
  });
  request.on("error", reject);
  return promise;
}
