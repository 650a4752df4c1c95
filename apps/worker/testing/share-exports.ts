import { randomBytes } from "node:crypto";
import { type ClaimedRun, createSecretBox, implementations, startTraceExports } from "@parley/core";
import {
  answerTestTurns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  type TestCore,
} from "@parley/core/testing";
import { endpoints, parseInput, type TraceDestination } from "@parley/schema";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import { createPersistence } from "../src/runs/outage.ts";
import { createTargets, type ServerTarget } from "../src/traces/destination-targets.ts";
import { createExportRuns } from "../src/traces/export-runs.ts";
import {
  type FakeCollector,
  spansOf,
  startFakeCollector,
} from "../src/traces/testing/fake-collector.ts";
import { createTraceMetrics } from "../src/traces/trace-metrics.ts";

let test: TestCore;
let asking: Awaited<ReturnType<typeof openTestContext>>;
let admin: typeof asking;
let wId: string;

/** A core whose workspace has the agent "ann", of which the tests of a file export traces. */
export const exported = {
  get core() {
    return test.core;
  },
  get asking() {
    return asking;
  },
  get admin() {
    return admin;
  },
  get wId() {
    return wId;
  },
};

/** Opens it for the tests of a file: files that share a process each have one of their own. */
export function shareExports(): void {
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
}

/** Starts a collector that is stopped with its test. */
export async function startCollector(): Promise<FakeCollector> {
  const collector = await startFakeCollector();
  onTestFinished(() => collector[Symbol.asyncDispose]());
  return collector;
}

/** Adds a destination, and gives its id. */
export async function addDestination({ url }: FakeCollector, more: object = {}): Promise<string> {
  const given = { wId, name: "Collector", url, encoding: "json", ...more };
  const input = parseInput(endpoints["traceDestinations.create"], given);
  const made = await implementations["traceDestinations.create"](admin, input);
  return made.traceDestination.sId;
}

/** A destination as its admins read it. */
export async function read(traceDestinationId: string): Promise<TraceDestination> {
  const named = { wId, traceDestinationId };
  return (await implementations["traceDestinations.get"](admin, named)).traceDestination;
}

/** Answers a new conversation, and gives the id of the answer. */
export async function answer(): Promise<string> {
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

/** The exports of a worker that reaches a collector. */
export function openExports({ host }: FakeCollector, options: Options = {}) {
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
export async function exportAll(
  collector: FakeCollector,
  options: Options = {},
): Promise<string[]> {
  const { kind, signal } = openExports(collector, options);
  const isOfServer = options.server !== undefined;
  await startTraceExports(test.core, { isOfServer, commitMs: 0 });
  const request = { workerId: "exporter", leaseMs: 60_000, limit: 100, after: 0 };
  const { runs } = await kind.claim({ ...request, held: [] });
  return Promise.all(runs.map((run: ClaimedRun) => kind.execute(run, signal)));
}

/** The spans that a collector was sent. */
export const sentTo = ({ requests }: FakeCollector) => requests.flatMap(spansOf);
