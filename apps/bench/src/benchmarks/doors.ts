import { createRpcClient } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley, unlimited } from "../parley-server.ts";
import { readCpuMs } from "../proc.ts";
import type { Findings } from "../report.ts";
import { median } from "../statistics.ts";

/** Words of the answers: of one that is told apart from its request, and of one that is hardly more than a request. */
const LONG = 1000;
const SHORT = 1;
/** More than the least time between two writes of a worker, so that each word is an event. */
const WORD_MS = 55;
/** Streams of a sample, and how many of them are read at once. */
const STREAMS = 100;
const AT_ONCE = 4;
const WARM_UP_STREAMS = 20;
const MOST = 1.3;

/** A way to read the whole answer as a stream. */
interface Door {
  readonly name: string;
  /** What only a whole stream contains. */
  readonly end: string;
  open(): Promise<Response>;
}

/**
 * Measures the processor time of each door's stream of an answer that has ended, beside its own events. What a stream
 * costs is what a long answer costs more than a short one, whose requests are the same.
 */
export async function benchDoors(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds, print } = options;
  const database = await postgres.createDatabase(resources, "doors");
  const { demo, pid } = await startParley(resources, database, { settings: unlimited });
  const [long, short] = await Promise.all([openDoors(demo, LONG), openDoors(demo, SHORT)]);
  const cpuMs = async (door: Door): Promise<number> => {
    const before = (await readCpuMs(pid)) ?? Number.NaN;
    await readStreams(door, STREAMS);
    return (((await readCpuMs(pid)) ?? Number.NaN) - before) / STREAMS;
  };
  const samples = long.map(({ name }) => ({
    name,
    requests: [] as number[],
    streams: [] as number[],
  }));
  for (const door of [...long, ...short]) await readStreams(door, WARM_UP_STREAMS);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { requests, streams }] of samples.entries()) {
      const request = await cpuMs(short[index]!);
      requests.push(request);
      streams.push((await cpuMs(long[index]!)) - request);
    }
    print(`round ${round + 1} of ${rounds}\n`);
  }
  const [events, ...others] = samples;
  const rows = samples.map(({ name, requests, streams }) => ({
    stream: name,
    "request ms": median(requests),
    "its events ms": median(streams),
  }));
  const questions = others.map(({ name, streams }) => ({
    name: `${name} over events: processor time of the stream`,
    of: streams,
    over: events!.streams,
    target: { atMost: MOST },
  }));
  return { tables: [rows], questions };
}

async function openDoors(demo: Demo, words: number): Promise<Door[]> {
  const { url, workspaceId: wId, adminKey } = demo;
  const rpc = createRpcClient({ url, apiKey: adminKey });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Talker",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: "word ".repeat(words) }], tokenDelayMs: WORD_MS },
  });
  const headers = { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" };
  const get = (path: string) => fetch(url + path, { headers });
  const post = (path: string, body: object, more: object = {}) => {
    const sent = { ...headers, ...more };
    return fetch(url + path, { method: "POST", headers: sent, body: JSON.stringify(body) });
  };
  const model = `agent/${agentConfiguration.sId}`;
  const completion = {
    model,
    messages: [{ role: "user", content: "Talk" }],
    metadata: { conversation_id: "new" },
    stream: true,
  };
  // The key gives the answer of the first request again.
  const key = { "Idempotency-Key": `doors-${words}` };
  const [created, completed] = await Promise.all([
    post("/v1/responses", { model, input: "Talk" }),
    post("/v1/chat/completions", completion, key),
  ]);
  const { id } = (await created.json()) as { id: string };
  await completed.text();
  const [, cId, mId] = /^resp_(\w{10})(\w{10})$/.exec(id) ?? [];
  const message = `v1/w/${wId}/assistant/conversations/${cId}/messages/${mId}`;
  return [
    {
      name: "events",
      end: "agent_message_success",
      open: () => get(`/api/sse/${message}/events`),
    },
    {
      name: "ai-sdk",
      end: "[DONE]",
      open: () => get(`/api/sse/${message}/events?format=ai-sdk`),
    },
    {
      name: "ag-ui",
      end: "RUN_FINISHED",
      open: () => get(`/api/sse/${message}/events?format=ag-ui`),
    },
    {
      name: "durable streams",
      end: "agent_message_success",
      open: () => get(`/api/${message}/stream?offset=-1&live=sse`),
    },
    {
      name: "responses",
      end: "response.completed",
      open: () => get(`/v1/responses/${id}?stream=true`),
    },
    {
      name: "chat completions",
      end: "[DONE]",
      open: () => post("/v1/chat/completions", completion, key),
    },
  ];
}

async function readStreams(door: Door, count: number): Promise<void> {
  let left = count;
  const read = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await door.open();
      const text = await response.text();
      if (text.includes(door.end)) continue;
      throw new Error(`${door.name} answered ${response.status}: ${text.slice(-500)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
}
