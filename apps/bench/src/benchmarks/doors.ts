import { createRpcClient } from "parley-client";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley, unlimited } from "../parley-server.ts";
import { readCpuMs } from "../proc.ts";
import type { Findings } from "../report.ts";
import { median } from "../statistics.ts";

const WORDS = 2000;
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

/** Measures the processor time of each door's stream of an answer that has ended, beside its own events. */
export async function benchDoors(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds, print } = options;
  const database = await postgres.createDatabase(resources, "doors");
  const { demo, pid } = await startParley(resources, database, { settings: unlimited });
  const doors = await openDoors(demo);
  const samples = new Map<string, number[]>(doors.map(({ name }) => [name, []]));
  for (const door of doors) await readStreams(door, WARM_UP_STREAMS);
  for (let round = 0; round < rounds; round++) {
    for (const door of doors) {
      const before = (await readCpuMs(pid)) ?? Number.NaN;
      await readStreams(door, STREAMS);
      const after = (await readCpuMs(pid)) ?? Number.NaN;
      samples.get(door.name)?.push((after - before) / STREAMS);
    }
    print(`round ${round + 1} of ${rounds}\n`);
  }
  const events = samples.get("events") ?? [];
  const rows = doors.map(({ name }) => ({
    stream: name,
    "processor ms": median(samples.get(name) ?? []),
  }));
  const questions = doors.slice(1).map(({ name }) => ({
    name: `${name} over events: processor time of the server`,
    of: samples.get(name) ?? [],
    over: events,
    target: { atMost: MOST },
  }));
  return { tables: [rows], questions };
}

async function openDoors(demo: Demo): Promise<Door[]> {
  const { url, workspaceId: wId, adminKey } = demo;
  const rpc = createRpcClient({ url, apiKey: adminKey });
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId,
    name: "Talker",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: "word ".repeat(WORDS) }], tokenDelayMs: 0 },
  });
  const headers = { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" };
  const get = (path: string) => fetch(url + path, { headers });
  const post = (path: string, body: object, more: object = {}) => {
    const sent = { ...headers, ...more };
    return fetch(url + path, { method: "POST", headers: sent, body: JSON.stringify(body) });
  };
  const model = `agent/${agentConfiguration.sId}`;
  const created = await post("/v1/responses", { model, input: "Talk" });
  const { id } = (await created.json()) as { id: string };
  const [, cId, mId] = /^resp_(\w{10})(\w{10})$/.exec(id) ?? [];
  const message = `v1/w/${wId}/assistant/conversations/${cId}/messages/${mId}`;
  const completion = {
    model,
    messages: [{ role: "user", content: "Talk" }],
    metadata: { conversation_id: "new" },
    stream: true,
  };
  // The key gives the answer of the first request again.
  const key = { "Idempotency-Key": "doors" };
  await (await post("/v1/chat/completions", completion, key)).text();
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
