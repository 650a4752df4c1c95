import { setTimeout as sleep } from "node:timers/promises";
import { createRpcClient } from "parley-client";
import { type Database, events, invocations, logs, messages } from "@parley/db";
import { CreatedConversation } from "@parley/schema";
import { expect } from "vitest";
import { readFrames } from "../frames.ts";
import { jsonOf, open, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";

// What models and functions say is told by tests, so that every word can be looked for: in what a
// client was streamed, in the log, and in what is stored.

const terminal =
  /^(?:agent_message_success|agent_error|agent_generation_cancelled|.*_result|.*_error)$/;
const PAUSE_MS = 100;

/** What says a known text, and how long it takes. */
export interface Speech {
  readonly words: readonly string[];
  readonly durationMs: number;
}

/** Says so many words, all of them different. */
export function speechOf(count: number, durationMs: number): Speech {
  return { words: Array.from({ length: count }, (_, index) => `word${index}`), durationMs };
}

/** Creates an agent that says the words, and a function that prints them and gives how many they are. */
export async function createSpeakers(
  { url, demo }: Pick<Server, "url" | "demo">,
  { words, durationMs }: Speech,
): Promise<{ agentId: string; functionId: string }> {
  const rpc = createRpcClient({ url, apiKey: demo.adminKey });
  const { workspaceId } = demo;
  const { agentConfiguration } = await rpc.agents.create.mutate({
    wId: workspaceId,
    name: "speaker",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: {
      steps: [{ text: words.join(" ") }],
      tokenDelayMs: durationMs / words.length,
    },
  });
  const { sandboxFunction } = await rpc.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug: "speaker",
    description: "Prints words",
    maxConcurrent: 1000,
    program: {
      type: "simulated",
      behaviour: {
        durationMs,
        steps: words.map((text, index) => ({
          at: index / words.length,
          log: { stream: "stdout" as const, text },
        })),
        result: String(words.length),
      },
    },
  });
  return { agentId: agentConfiguration.sId, functionId: sandboxFunction.sId };
}

/** An answer or an invocation that was begun, and what a client was streamed of it. */
export interface Followed {
  readonly logId: string;
  readonly kind: "answer" | "invocation";
  readonly path: string;
  /** The events' JSON, by their numbers. */
  readonly received: { seq: number; data: Record<string, unknown> }[];
}

/** Asks the agent; the answer is to be followed. */
export async function ask(server: Server, agentId: string): Promise<Followed> {
  const path = pathsOf(server).conversations;
  const message = { content: "Speak", mentions: [{ configurationId: agentId }] };
  const created = jsonOf(await send(server, { path, json: { message } }), CreatedConversation);
  const { conversation } = created.parsed;
  const logId = conversation.content.at(-1)!.at(-1)!.sId;
  const stream = `${path}/${conversation.sId}/messages/${logId}/events`;
  return { logId, kind: "answer", path: stream.replace("/api/", "/api/sse/"), received: [] };
}

/** Invokes the function; the invocation is to be followed. */
export async function invoke(server: Server, functionId: string): Promise<Followed> {
  const answer = await send(server, {
    path: pathsOf(server).invocations(functionId),
    json: { input: null },
    headers: { prefer: "respond-async" },
  });
  expect(answer.status).toBe(201);
  const { invocation } = JSON.parse(answer.text) as { invocation: { sId: string } };
  const stream = pathsOf(server).events(functionId, invocation.sId);
  const path = `${stream.replace("/api/", "/api/sse/")}?include=log,progress`;
  return { logId: invocation.sId, kind: "invocation", path, received: [] };
}

/** Follows to the terminal event, resuming for as long as a client would. */
export async function follow(
  server: Server,
  followed: Followed,
  gracePeriodMs: number,
): Promise<void> {
  const { path, received } = followed;
  const deadline = performance.now() + gracePeriodMs;
  while (!terminal.test(String(received.at(-1)?.data["type"]))) {
    if (performance.now() > deadline) throw new Error(`${path} did not end`);
    try {
      const headers = { "last-event-id": String(received.at(-1)?.seq ?? 0) };
      const signal = AbortSignal.timeout(gracePeriodMs);
      const response = await open(server, { path, headers, signal });
      if (response.status === 200) {
        for await (const { id, data } of readFrames(response)) {
          const inner = followed.kind === "answer" ? data["data"] : data;
          received.push({ seq: Number(id), data: inner as Record<string, unknown> });
        }
      } else await response.text();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await sleep(PAUSE_MS);
  }
}

/** Resolves when everything that is followed has said something. */
export async function whenAllSpeak(all: readonly Followed[], gracePeriodMs: number): Promise<void> {
  const deadline = performance.now() + gracePeriodMs;
  const hasSpoken = ({ kind, received }: Followed) => received.length > (kind === "answer" ? 0 : 1);
  while (!all.every(hasSpoken)) {
    if (performance.now() > deadline) throw new Error("Not everything has begun");
    await sleep(10);
  }
}

const spokenIn = (data: Record<string, unknown>): string =>
  data["type"] === "generation_tokens" || String(data["type"]).endsWith("_log")
    ? String(data["text"])
    : "";

/** What went wrong with what was followed, a line each: nothing if every word is where it belongs. */
export async function findTorn(
  { db }: Database,
  all: readonly Followed[],
  { words }: Speech,
): Promise<string[]> {
  const ofLogs = Map.groupBy(await db.select().from(events), ({ logId }) => logId);
  const stored = new Map((await db.select().from(messages)).map((row) => [row.sid, row]));
  const invoked = new Map((await db.select().from(invocations)).map((row) => [row.sid, row]));
  const ends = new Map((await db.select().from(logs)).map(({ id, lastSeq }) => [id, lastSeq]));
  return all.flatMap(({ logId, kind, received }) => {
    const separator = kind === "answer" ? "" : " ";
    const textOf = (datas: readonly Record<string, unknown>[]) =>
      datas.map(spokenIn).filter(Boolean).join(separator);
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    const log = (ofLogs.get(logId) ?? []).toSorted((a, b) => a.seq - b.seq);
    const payloads = log.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
    const expected = words.join(" ");
    const outcome = kind === "answer" ? stored.get(logId) : invoked.get(logId);
    const differences = {
      numbers: [log.map(({ seq }) => seq).join(), numbered(ends.get(logId) ?? 0).join()],
      delivered: [received.map(({ seq }) => seq).join(), numbered(log.length).join()],
      streamed: [textOf(received.map(({ data }) => data)), expected],
      logged: [textOf(payloads), expected],
      status: [outcome?.status, "succeeded"],
      ...(kind === "answer"
        ? { content: [stored.get(logId)?.content, expected] }
        : { result: [String(invoked.get(logId)?.result), String(words.length)] }),
    };
    return Object.entries(differences).flatMap(([what, [is, shouldBe]]) =>
      is === shouldBe ? [] : `${kind} ${logId}: ${what}: ${is?.slice(-300)}`,
    );
  });
}
