import { finishTurns, implementations } from "@parley/core";
import {
  ageTestTraces,
  claimTestTurns,
  createTestConversation,
  testOutcome,
} from "@parley/core/testing";
import { endpoints, MAX_TRACE_BACKLOG_MS, parseInput } from "@parley/schema";
import { expect, it } from "vitest";
import { attributesIn } from "./testing/fake-collector.ts";
import {
  exported,
  startCollector,
  addDestination,
  read,
  answer,
  exportAll,
  sentTo,
  shareExports,
} from "../../testing/share-exports.ts";

shareExports();

it("skips and counts what ended before the bound of a backlog", async () => {
  const collector = await startCollector();
  const id = await addDestination(collector);
  await answer();
  const newest = await answer();
  const endedAt = Date.now() - MAX_TRACE_BACKLOG_MS - 600_000;
  await ageTestTraces(exported.core, { sid: id, newest, endedAt });
  expect(await exportAll(collector)).toEqual(["succeeded"]);
  expect(await read(id)).toMatchObject({ skippedRuns: 1 });
  const sent = new Set(sentTo(collector).map((span) => attributesIn(span)["parley.run.id"]));
  expect(sent).toEqual(new Set([newest]));
});

it("keeps content and the words of errors to itself unless asked", async () => {
  const collector = await startCollector();
  await addDestination(collector);
  await addDestination(collector, { name: "All", sendsContent: true });
  await createTestConversation(exported.asking, ["ann"]);
  const error = { code: "provider_error" as const, message: "Secret words", metadata: null };
  const claimed = await claimTestTurns(exported.core);
  const outcome = testOutcome("", error);
  await finishTurns(
    exported.core,
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
    const given = { wId: exported.wId, traceDestinationId: id, version, isEnabled };
    const input = parseInput(endpoints["traceDestinations.update"], given);
    await implementations["traceDestinations.update"](exported.admin, input);
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
    exported.admin,
    parseInput(endpoints["traceDestinations.list"], { wId: exported.wId }),
  );
  expect(listed.traceDestinations).toEqual([]);
  // Without the setting there is nothing to send it to.
  await answer();
  expect(await exportAll(collector)).toEqual([]);
});
