import { randomBytes } from "node:crypto";
import {
  type ClaimedRun,
  createSecretBox,
  finishTurns,
  implementations,
  startTraceExports,
  takeOverRuns,
} from "@parley/core";
import {
  ageTestTraces,
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  readTestRuns,
  type TestCore,
  testOutcome,
} from "@parley/core/testing";
import { endpoints, MAX_TRACE_BACKLOG_MS, parseInput, type TraceDestination } from "@parley/schema";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { createPersistence } from "../runs/outage.ts";
import { createTargets, type ServerTarget } from "./destination-targets.ts";
import { createExportRuns } from "./export-runs.ts";
import {
  attributesIn,
  type FakeCollector,
  spansOf,
  startFakeCollector,
} from "./testing/fake-collector.ts";
import { createTraceMetrics } from "./trace-metrics.ts";

let test: TestCore;
let asking: Awaited<ReturnType<typeof openTestContext>>;
let admin: typeof asking;
let wId: string;
beforeAll(async () => {
  test = await openTestCore({ secretBox: createSecretBox([randomBytes(32)]) });
  // The clock of the database dates the attempts.
  Object.assign(test.core, { now: Date.now });
});
beforeEach(async () => {
  const workspace = await insertTestWorkspace(test.core);
  await insertTestAgent(test.core, workspace, { sid: "ann" });
  asking = await openTestContext(test.core, workspace);
  admin = await openTestContext(test.core, workspace, "admin");
  wId = workspace.sid;
});
afterAll(() => test.close());

async function startCollector(): Promise<FakeCollector> {
  const collector = await startFakeCollector();
  onTestFinished(() => collector[Symbol.asyncDispose]());
  return collector;
}

async function addDestination({ url }: FakeCollector, more: object = {}): Promise<string> {
  const given = { wId, name: "Collector", url, encoding: "json", ...more };
  const input = parseInput(endpoints["traceDestinations.create"], given);
  const made = await implementations["traceDestinations.create"](admin, input);
  return made.traceDestination.sId;
}

async function read(traceDestinationId: string): Promise<TraceDestination> {
  const named = { wId, traceDestinationId };
  return (await implementations["traceDestinations.get"](admin, named)).traceDestination;
}

/** Answers a new conversation, and gives the id of the answer. */
async function answer(): Promise<string> {
  const { conversation } = await createTestConversation(asking, ["ann"]);
  await answerTestTurns(test.core);
  return conversation.content.at(-1)![0]!.sId;
}

interface Options {
  readonly signal?: AbortSignal;
  readonly allowedHosts?: readonly string[];
  readonly isGenAi?: boolean;
  readonly server?: ServerTarget;
}

function open({ host }: FakeCollector, options: Options = {}) {
  const { allowedHosts = [host], isGenAi = false, server } = options;
  const { core } = test;
  const kind = createExportRuns({
    core,
    persistence: createPersistence(core),
    targets: createTargets(core, { allowedHosts, server }),
    metrics: createTraceMetrics(new Registry()),
    origin: { serviceName: "parley", version: "1.2.3" },
    isGenAi,
    commitMs: 0,
  });
  return { kind, signal: options.signal ?? new AbortController().signal };
}

/** Exports as a worker does what there is to export, and gives how the runs left it. */
async function exportAll(collector: FakeCollector, options: Options = {}): Promise<string[]> {
  const { kind, signal } = open(collector, options);
  const isOfServer = options.server !== undefined;
  await startTraceExports(test.core, { isOfServer, commitMs: 0 });
  const request = { workerId: "exporter", leaseMs: 60_000, limit: 100, after: 0 };
  const { runs } = await kind.claim({ ...request, held: [] });
  return Promise.all(runs.map((run: ClaimedRun) => kind.execute(run, signal)));
}

const sentTo = ({ requests }: FakeCollector) => requests.flatMap(spansOf);

it("sends the spans of an answer once, with ids that its trace has too", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector, { headers: { "Api-Key": "k1" } });
  const mId = await answer();
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const { trace } = await implementations["runs.getTrace"](admin, { wId, runId: mId });
  const spans = sentTo(collector);
  expect(spans.map(({ spanId }) => spanId)).toEqual(trace.spans.map((span) => span.id));
  expect(spans.map(({ traceId }) => traceId)).toEqual(spans.map(() => trace.traceId));
  expect(spans[0]).toMatchObject({ name: "answer ann", kind: 1 });
  expect(spans[1]?.parentSpanId).toBe(spans[0]?.spanId);
  const [request] = collector.requests;
  expect(request?.path).toBe("/v1/traces");
  expect(request?.headers).toMatchObject({
    "api-key": "k1",
    "content-type": "application/json",
    "user-agent": "Parley-Traces/1",
  });
  expect(request?.body.toString()).toContain(`{"stringValue":"${wId}"}`);
  expect(await read(id)).toMatchObject({
    sentSpans: spans.length,
    rejectedSpans: 0,
    failingSince: null,
    lastAttempt: { status: 200, error: null, isTest: false },
    headerNames: ["Api-Key"],
  });
  expect(await exportAll(collector)).toEqual([]);
  expect(await readTestRuns(test.core)).not.toContainEqual(
    expect.objectContaining({ kind: "trace_export" }),
  );
});

it("waits as long as a collector says that is busy, and then loses nothing", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  const first = await answer();
  collector.answer = (response) => void response.writeHead(429, { "retry-after": "120" }).end();
  expect(await exportAll(collector)).toEqual(["suspended"]);
  const [run] = (await readTestRuns(test.core)).filter(({ kind }) => kind === "trace_export");
  expect(run!.runAfter.getTime() - Date.now()).toBeGreaterThan(100_000);
  expect((await read(id)).failingSince).not.toBeNull();
  const second = await answer();
  collector.answer = (response) => void response.writeHead(200).end();
  collector.requests.length = 0;
  // A sample is sent at once, and what waits with it.
  await implementations["traceDestinations.test"](admin, { wId, traceDestinationId: id });
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const runIds = new Set(sentTo(collector).map((span) => attributesIn(span)["parley.run.id"]));
  expect(runIds).toEqual(new Set(["sample", first, second]));
  expect(await read(id)).toMatchObject({ failingSince: null, lastAttempt: { error: null } });
});

it.each([
  ["is away", (collector: FakeCollector) => collector[Symbol.asyncDispose]()],
  [
    "has another key",
    (collector: FakeCollector) => {
      collector.answer = (response) => void response.writeHead(401).end();
    },
  ],
  [
    "fails",
    (collector: FakeCollector) => {
      collector.answer = (response) => void response.writeHead(500).end();
    },
  ],
  [
    "redirects",
    (collector: FakeCollector) => {
      collector.answer = (response) => void response.writeHead(307, { location: "/x" }).end();
    },
  ],
])("keeps its place while a collector %s", async (_what, fail) => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  const { exportedUntil } = await read(id);
  await answer();
  fail(collector);
  expect(await exportAll(collector)).toEqual(["suspended"]);
  const failing = await read(id);
  expect(failing).toMatchObject({ exportedUntil, sentSpans: 0, rejectedSpans: 0 });
  expect(failing.lastAttempt?.error).toBeTruthy();
});

it("counts what a collector refuses for good, and continues after it", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  await answer();
  const said = { partialSuccess: { rejectedSpans: "1", errorMessage: "too old" } };
  collector.answer = (response) => void response.writeHead(200).end(JSON.stringify(said));
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const sent = sentTo(collector).length;
  const partly = await read(id);
  expect(partly).toMatchObject({ sentSpans: sent - 1, rejectedSpans: 1, failingSince: null });
  expect(partly.lastAttempt?.error).toBe("It refused 1 spans: too old");
  await answer();
  collector.answer = (response) => void response.writeHead(400).end();
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const refused = await read(id);
  expect(refused.rejectedSpans).toBeGreaterThan(1);
  expect(refused.failingSince).not.toBeNull();
});

it("divides what is too large for a collector", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  await answer();
  const taken: string[] = [];
  collector.answer = (response, request) => {
    const spans = spansOf(request);
    const isTaken = spans.length <= 1;
    if (isTaken) taken.push(...spans.map(({ spanId }) => spanId));
    response.writeHead(isTaken ? 200 : 413).end();
  };
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  expect((await read(id)).sentSpans).toBe(taken.length);
  expect(new Set(taken).size).toBe(taken.length);
  expect(taken.length).toBeGreaterThan(1);
});

it("sends again after a crash before its end is committed, with the same ids", async () => {
  const collector = await startCollector();
  await addDestination(collector);
  await answer();
  const dying = new AbortController();
  collector.answer = () => dying.abort();
  await expect(exportAll(collector, { signal: dying.signal })).rejects.toThrow("abort");
  await expireTestLeases(test.core);
  const taken = await takeOverRuns(test.core, { workerId: "next", leaseMs: 60_000, limit: 10 });
  collector.answer = (response) => void response.writeHead(200).end();
  const { kind, signal } = open(collector);
  expect(await Promise.all(taken.map((run) => kind.execute(run, signal)))).toEqual(["succeeded"]);
  const [first, second, ...more] = collector.requests.map((request) =>
    spansOf(request).map(({ spanId }) => spanId),
  );
  expect(second).toEqual(first);
  expect(more).toEqual([]);
});

it("sends a past period again, with the same ids, and then nothing more", async () => {
  const collector = await startCollector();
  const from = Date.now();
  await answer();
  const id = await addDestination(collector);
  expect(await exportAll(collector)).toEqual([]);
  const again = async (more: object = {}) => {
    const given = { wId, traceDestinationId: id, from, ...more };
    const input = parseInput(endpoints["traceDestinations.export"], given);
    return implementations["traceDestinations.export"](admin, input);
  };
  const asked = await again({ to: Date.now() + 60_000 });
  expect(asked.traceDestination.exporting?.from).toBe(from);
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const first = sentTo(collector);
  expect(first.length).toBeGreaterThan(1);
  expect((await read(id)).exporting).toBeNull();
  await again();
  await exportAll(collector);
  expect(sentTo(collector)).toEqual([...first, ...first]);
  await expect(again({ to: from })).rejects.toThrow("from: must be before `to`");
  await expect(again({ from: 0 })).rejects.toThrow("from: must be at most 31 days ago");
});

it("skips and counts what ended before the bound of a backlog", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  await answer();
  const newest = await answer();
  const endedAt = Date.now() - MAX_TRACE_BACKLOG_MS - 600_000;
  await ageTestTraces(test.core, { sid: id, newest, endedAt });
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  expect(await read(id)).toMatchObject({ skippedRuns: 1 });
  const sent = new Set(sentTo(collector).map((span) => attributesIn(span)["parley.run.id"]));
  expect(sent).toEqual(new Set([newest]));
});

it("keeps content and the words of errors to itself unless asked", async () => {
  const collector = await startCollector();
  await addDestination(collector);
  await addDestination(collector, { name: "All", sendsContent: true });
  await createTestConversation(asking, ["ann"]);
  const error = { code: "provider_error" as const, message: "Secret words", metadata: null };
  const claimed = await claimTestTurns(test.core);
  const outcome = testOutcome("", error);
  await finishTurns(
    test.core,
    claimed.map((one) => ({ ...one, outcome, events: [], actions: [] })),
  );
  await exportAll(collector);
  const roots = sentTo(collector).filter(({ name }) => name === "answer ann");
  expect(roots.map(({ status }) => status?.code)).toEqual([2, 2]);
  expect(roots.map((span) => attributesIn(span)["error.type"])).toEqual([error.code, error.code]);
  const words = roots.map(({ status }) => status?.message);
  expect(new Set(words)).toEqual(new Set(["Secret words", undefined]));
  expect(words).toHaveLength(2);
});

it("reaches no private host that the operator does not allow, and says so", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  await answer();
  expect(await exportAll(collector, { allowedHosts: [] })).toEqual(["suspended"]);
  expect(collector.requests).toEqual([]);
  expect((await read(id)).lastAttempt?.error).toContain("127.0.0.1");
});

it("sends nothing while it is switched off, and from then on what ends after it is on again", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector, { isEnabled: false });
  const turn = async (isEnabled: boolean) => {
    const { version } = await read(id);
    const given = { wId, traceDestinationId: id, version, isEnabled };
    const input = parseInput(endpoints["traceDestinations.update"], given);
    await implementations["traceDestinations.update"](admin, input);
  };
  await answer();
  expect(await exportAll(collector)).toEqual([]);
  await new Promise((resolve) => void setTimeout(resolve, 2));
  await turn(true);
  const second = await answer();
  await exportAll(collector);
  expect(sentTo(collector)[0]).toMatchObject({ name: "answer ann" });
  const sent = new Set(sentTo(collector).map((span) => attributesIn(span)["parley.run.id"]));
  expect(sent).toEqual(new Set([second]));
});

it("sends the server's destination the traces of every workspace, without content", async () => {
  const collector = await startCollector();
  const server = { url: collector.url, headers: { tenant: "7" }, encoding: "json" as const };
  await exportAll(collector, { server, allowedHosts: [] });
  const mine = await answer();
  expect(await exportAll(collector, { server, allowedHosts: [] })).toContain("succeeded");
  const sent = sentTo(collector).map((span) => attributesIn(span)["parley.run.id"]);
  expect(sent).toContain(mine);
  expect(collector.requests.every(({ headers }) => headers["tenant"] === "7")).toBe(true);
  const listed = await implementations["traceDestinations.list"](
    admin,
    parseInput(endpoints["traceDestinations.list"], { wId }),
  );
  expect(listed.traceDestinations).toEqual([]);
  // Without the setting there is nothing to send it to.
  await answer();
  expect(await exportAll(collector)).toEqual([]);
});
