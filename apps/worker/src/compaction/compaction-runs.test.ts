import { type FakeService, startFakeService } from "@parley/agent/testing";
import { type Context, updateWorkspace } from "@parley/core";
import {
  clearRuns,
  createTestConversation,
  expireTestLeases,
  fillTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  readTestLog,
  readTestRuns,
  readTestSummaries,
  retryMessage,
  type TestCore,
  updateSummary,
} from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { WorkerSettings } from "../config.ts";
import { createWorker } from "../worker.ts";

const model = { providerId: "openai_compatible", modelId: "llama" };
const SUMMARY = "Ann and Bob spoke about invoices.";

let test: TestCore;
let context: Context;
beforeAll(async () => {
  test = await openTestCore({ safetyPollMs: 60_000 });
  const workspace = await insertTestWorkspace(test.core);
  const admin = await openTestContext(test.core, workspace);
  const played = { providerId: "simulated", modelId: "simulated-1" };
  const change = { wId: workspace.sid, models: [model, played] };
  await updateWorkspace(admin, parseInput(endpoints["workspaces.update"], change));
  await insertTestAgent(test.core, workspace, { sid: "ann", ...model });
  await insertTestAgent(test.core, workspace, {
    sid: "off",
    ...model,
    compaction: { enabled: false },
  });
  await insertTestAgent(test.core, workspace, {
    sid: "played",
    compaction: { enabled: true, startsAtPercent: 10 },
  });
  context = await openTestContext(test.core, workspace);
});
beforeEach(() => clearRuns(test.core));
afterAll(() => test.close());

const isSummaryRequest = (body: unknown): boolean => JSON.stringify(body).includes("<transcript>");

async function startService(summary: string = SUMMARY): Promise<FakeService> {
  const service = await startFakeService();
  service.onRequest = () => {
    const text = isSummaryRequest(service.requests.at(-1)?.body) ? summary : "Noted.";
    service.script = { steps: [{ text }], tokenDelayMs: 0 };
  };
  onTestFinished(service.close);
  return service;
}

function startWorker({ url }: Pick<FakeService, "url">, contextTokens = 100_000) {
  const settings = WorkerSettings.parse({
    PARLEY_OPENAI_COMPATIBLE_URL: `${url}/v1`,
    PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: String(contextTokens),
  });
  const worker = createWorker({ core: test.core, settings, logger: pino({ level: "error" }) });
  worker.start();
  onTestFinished(() => worker.close(0));
  return worker;
}

/** A conversation with so many further messages, without runs. */
async function fill(textOf: (rank: number) => string, count: number): Promise<string> {
  const { conversation } = await createTestConversation(context, []);
  const texts = Array.from({ length: count }, (_, index) => textOf(index + 1));
  await fillTestConversation(test.core, conversation.sId, texts);
  return conversation.sId;
}

async function ask(cId: string, agentId = "ann"): Promise<string> {
  const { agentMessages } = await postTestMessage(context, cId, { agentIds: [agentId] });
  return agentMessages[0]!.sId;
}

const readSummaries = () => readTestSummaries(test.core);
const openRuns = async () =>
  (await readTestRuns(test.core)).filter(({ status }) => status !== "finished");

async function settled(): Promise<void> {
  await expect.poll(openRuns, { interval: 40 }).toEqual([]);
}

/** Waits until a summary was started, which is shortly after the end of a turn, and has ended. */
async function summarised(): Promise<void> {
  await expect.poll(readSummaries, { interval: 40 }).not.toEqual([]);
  await settled();
}

/** The texts of a request's messages. */
const textsOf = ({ body }: FakeService["requests"][number]): string[] =>
  (body.messages as { content: string | { text: string }[] }[]).map(({ content }) =>
    typeof content === "string" ? content : content.map(({ text }) => text).join(""),
  );

it("carries 40 of 40 identifiers over 400 messages, and keeps the newest ones as they are", async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `INV-2024-${1000 + index * 7}`);
  const texts = (rank: number) =>
    rank % 9 === 3 && rank < 363
      ? `Message ${rank} names ${ids[(rank - 3) / 9]}.`
      : `Message ${rank}.`;
  const cId = await fill(texts, 399);
  const service = await startService();
  startWorker(service);
  await ask(cId);
  await ask(cId);
  await summarised();
  const [summary, ...others] = await readSummaries();
  expect(others).toEqual([]);
  expect(summary).toMatchObject({ status: "active", fromRank: 0, text: SUMMARY, error: null });
  const carried = new Set(summary!.carried!.map(({ text }) => text));
  expect(ids.filter((id) => carried.has(id))).toHaveLength(40);
  const log = await readTestLog(test.core, cId);
  const event = { type: "conversation_compacted", number: 1, fromRank: 0, text: SUMMARY };
  const told = log.filter(({ type }) => type === "conversation_compacted");
  expect(told).toMatchObject([{ ...event, toRank: summary!.toRank }]);

  await ask(cId);
  await settled();
  const [first, ...rest] = textsOf(service.requests.at(-1)!);
  expect(first).toContain(SUMMARY);
  expect(ids.filter((id) => first!.includes(id))).toHaveLength(40);
  const kept = Array.from({ length: 399 - summary!.toRank! }, (_, index) =>
    texts(summary!.toRank! + 1 + index),
  );
  expect(kept.length).toBeGreaterThanOrEqual(8);
  expect(rest.slice(0, kept.length)).toEqual(kept);
});

it("leaves a conversation below the share alone, and one whose agent does not summarise", async () => {
  const service = await startService();
  startWorker(service);
  await ask(await fill((rank) => `Message ${rank}`, 99));
  await ask(await fill((rank) => `Message ${rank}`, 449), "off");
  await settled();
  expect(await readSummaries()).toEqual([]);
  expect(service.requests).toHaveLength(2);
});

it("summarises what is larger than the context in pieces, and counts each once", async () => {
  const cId = await fill((rank) => `${rank} ${"word ".repeat(100)}`, 419);
  const service = await startService();
  startWorker(service, 16_000);
  await ask(cId);
  await summarised();
  const [summary] = await readSummaries();
  const pieces = service.requests.filter(({ body }) => isSummaryRequest(body));
  expect(summary).toMatchObject({ status: "active", progress: null });
  expect(pieces.length).toBeGreaterThan(5);
  expect(summary!.steps.map(({ step }) => step)).toEqual(pieces.map((_, index) => index));
  expect(pieces.slice(1).every((piece) => textsOf(piece).at(-1)!.includes(SUMMARY))).toBe(true);
  const run = (await readTestRuns(test.core)).find(({ kind }) => kind === "compaction");
  const tokens = summary!.steps.reduce((sum, { inputTokens }) => sum + (inputTokens ?? 0), 0);
  expect(run).toMatchObject({ outcome: "succeeded", inputTokens: tokens });
  // Each message was given once.
  const lines = pieces.flatMap(
    (piece) =>
      textsOf(piece)
        .at(-1)!
        .match(/"position":\d+/g) ?? [],
  );
  expect(lines).toEqual([...new Set(lines)]);
  expect(lines).toHaveLength(summary!.toRank! + 1);
});

it("continues after a worker that dies, without asking again for what it has saved", async () => {
  const cId = await fill((rank) => `${rank} ${"word ".repeat(100)}`, 419);
  const service = await startService();
  const hung = Promise.withResolvers<void>();
  const { onRequest } = service;
  let seen = 0;
  service.onRequest = () => {
    onRequest();
    if (!isSummaryRequest(service.requests.at(-1)?.body) || ++seen !== 3) return;
    service.faults.push({ kind: "silent", afterFrames: 1 });
    hung.resolve();
  };
  startWorker(service, 16_000);
  await ask(cId);
  await hung.promise;
  startWorker(service, 16_000);
  const attempts = async () => {
    const runs = await readTestRuns(test.core);
    return runs.find(({ kind }) => kind === "compaction")?.attempt;
  };
  // The first worker may renew its lease before the other one looks.
  const die = async () => {
    if ((await attempts()) === 1) await expireTestLeases(test.core);
    return attempts();
  };
  await expect.poll(die, { timeout: 30_000, interval: 2500 }).toBe(2);
  await summarised();
  const [summary] = await readSummaries();
  expect(summary).toMatchObject({ status: "active" });
  const pieces = service.requests.filter(({ body }) => isSummaryRequest(body));
  // The third was asked for twice, and is counted once.
  expect(summary!.steps).toHaveLength(pieces.length - 1);
  expect(textsOf(pieces[2]!)).toEqual(textsOf(pieces[3]!));
  const runs = await readTestRuns(test.core);
  expect(runs.filter(({ kind }) => kind === "compaction")).toMatchObject([{ attempt: 2 }]);
  const events = (await readTestLog(test.core, cId)).filter(
    ({ type }) => type === "conversation_compacted",
  );
  expect(events).toHaveLength(1);
});

it.each([
  ["not_shorter", "x".repeat(12_000)],
  ["too_long", "x".repeat(20_000)],
  ["empty", " "],
])("ends with %s, and the next turns do not try again at once", async (code, text) => {
  const cId = await fill((rank) => `${rank}`, 449);
  const service = await startService(text);
  service.counts = { input: 11, output: 7, cached: 5, reasoning: 2 };
  startWorker(service);
  await ask(cId);
  await summarised();
  expect(await readSummaries()).toMatchObject([{ status: "failed", error: { code }, text: null }]);
  const run = (await readTestRuns(test.core)).find(({ kind }) => kind === "compaction");
  // It is billed none the less.
  const usage = { inputTokens: 11, outputTokens: 7, cachedInputTokens: 5, reasoningTokens: 2 };
  expect(run).toMatchObject({ outcome: "errored", ...usage });
  await ask(cId);
  await settled();
  expect(await readSummaries()).toHaveLength(1);
  // It has what it had before.
  expect(textsOf(service.requests.at(-1)!).join("")).not.toContain("<summary");
});

it("is tried with a simulated model if its agent says so", async () => {
  const cId = await fill((rank) => `Message ${rank} ${"word ".repeat(200)}`, 119);
  const service = await startService();
  startWorker(service);
  await ask(cId, "played");
  await summarised();
  const [summary] = await readSummaries();
  expect(summary).toMatchObject({ status: "active", providerId: "simulated" });
  expect(summary!.text).toContain("0: Hello");
});

it("is done once by two workers", async () => {
  const cId = await fill((rank) => `Message ${rank} ${"word ".repeat(20)}`, 429);
  const service = await startService();
  startWorker(service);
  startWorker(service);
  await Promise.all([ask(cId, "ann"), ask(cId, "ann")]);
  await summarised();
  const [summary, ...others] = await readSummaries();
  expect(others).toEqual([]);
  expect(service.requests.filter(({ body }) => isSummaryRequest(body))).toHaveLength(
    summary!.steps.length,
  );
});

it("gives the same prompt byte for byte once it is undone, and again once it is taken back", async () => {
  const cId = await fill((rank) => `Message ${rank} about AB-${1000 + rank}`, 439);
  const service = await startService();
  startWorker(service);
  const mId = await ask(cId);
  await summarised();
  const retry = async () => {
    await retryMessage(context, { cId, mId });
    await settled();
    return JSON.stringify(service.requests.at(-1)!.body);
  };
  const turns = service.requests.filter(({ body }) => !isSummaryRequest(body));
  const before = JSON.stringify(turns[0]!.body);
  const summarisedPrompt = await retry();
  expect(summarisedPrompt).not.toBe(before);
  const undone = await updateSummary(context, { cId, number: 1, active: false });
  expect(undone).toMatchObject({ status: "undone", undoneBy: context.caller.user.sid });
  expect(await retry()).toBe(before);
  // It is not made again at once.
  await ask(cId);
  await settled();
  expect(await readSummaries()).toMatchObject([{ status: "undone" }]);
  await updateSummary(context, { cId, number: 1, active: true });
  expect(await retry()).toBe(summarisedPrompt);
});
