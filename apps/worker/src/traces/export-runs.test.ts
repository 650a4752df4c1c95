import { implementations, takeOverRuns } from "@parley/core";
import { endTestRunLate, expireTestLeases, readTestRuns } from "@parley/core/testing";
import { endpoints, parseInput } from "@parley/schema";
import { expect, it } from "vitest";
import { attributesIn, type FakeCollector, spansOf } from "./testing/fake-collector.ts";
import {
  exported,
  startCollector,
  addDestination,
  read,
  answer,
  exportAll,
  openExports,
  sentTo,
  shareExports,
} from "../../testing/share-exports.ts";

shareExports();

it("sends the spans of an answer once, with ids that its trace has too", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector, { headers: { "Api-Key": "k1" } });
  const mId = await answer();
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const { trace } = await implementations["runs.getTrace"](exported.admin, {
    wId: exported.wId,
    runId: mId,
  });
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
  expect(request?.body.toString()).toContain(`{"stringValue":"${exported.wId}"}`);
  expect(await read(id)).toMatchObject({
    sentSpans: spans.length,
    rejectedSpans: 0,
    failingSince: null,
    lastAttempt: { status: 200, error: null, isTest: false },
    headerNames: ["Api-Key"],
  });
  expect(await exportAll(collector)).toEqual([]);
  expect(await readTestRuns(exported.core)).not.toContainEqual(
    expect.objectContaining({ kind: "trace_export" }),
  );
});

it("leaves out no run whose end is committed after that of a later one", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  const { exportedUntil } = await read(id);
  const late = await answer();
  const commit = await endTestRunLate(exported.core, late);
  const early = await answer();
  expect(await exportAll(collector)).toEqual([]);
  expect((await read(id)).exportedUntil).toBe(exportedUntil);
  await commit();
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  const runIds = sentTo(collector).map((span) => attributesIn(span)["parley.run.id"]);
  expect(new Set(runIds)).toEqual(new Set([late, early]));
});

it("waits as long as a collector says that is busy, and then loses nothing", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  const first = await answer();
  collector.answer = (response) => void response.writeHead(429, { "retry-after": "120" }).end();
  expect(await exportAll(collector)).toEqual(["suspended"]);
  const [run] = (await readTestRuns(exported.core)).filter(({ kind }) => kind === "trace_export");
  expect(run!.runAfter.getTime() - Date.now()).toBeGreaterThan(100_000);
  expect((await read(id)).failingSince).not.toBeNull();
  const second = await answer();
  collector.answer = (response) => void response.writeHead(200).end();
  collector.requests.length = 0;
  // A sample is sent at once, and what waits with it.
  await implementations["traceDestinations.test"](exported.admin, {
    wId: exported.wId,
    traceDestinationId: id,
  });
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
  await expireTestLeases(exported.core);
  const taken = await takeOverRuns(exported.core, { workerId: "next", leaseMs: 60_000, limit: 10 });
  collector.answer = (response) => void response.writeHead(200).end();
  const { kind, signal } = openExports(collector);
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
    const given = { wId: exported.wId, traceDestinationId: id, from, ...more };
    const input = parseInput(endpoints["traceDestinations.export"], given);
    return implementations["traceDestinations.export"](exported.admin, input);
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
