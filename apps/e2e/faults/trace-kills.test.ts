import { setTimeout as sleep } from "node:timers/promises";
import { isNightly, testSeed } from "@parley/db/testing";
import { spansOf, startFakeCollector } from "@parley/worker/testing-traces";
import { createParley, createRpcClient, type RpcClient } from "parley-client";
import { expect, test } from "vitest";
import { startFleet } from "../replicas/fleet.ts";
import { createPlace, eventually } from "../server.ts";
import { createRandom } from "./seeded-random.ts";

// The worker is killed while answers end and while their traces are sent: the spans that were received are those of the
// traces that are read, each with one id however often it came.

const PER_MOMENT = isNightly ? 13 : 2;
/** Answers that each kill meets. */
const ANSWERS = 3;
/** When a worker is killed: before and after ends commit, as a request begins, before it is answered, and just after. */
const moments = ["ending", "sending", "unanswered", "answered"] as const;

test(
  `${PER_MOMENT * moments.length} kills lose no span (seed ${testSeed})`,
  { timeout: isNightly ? 3_600_000 : 600_000 },
  async () => {
    const random = createRandom(testSeed);
    const below = (bound: number) => Math.floor(random() * bound);
    await using collector = await startFakeCollector();
    await using place = await createPlace();
    const settings = { PARLEY_PRIVATE_HOSTS: collector.host, PARLEY_LEASE_MS: "500" };
    await using fleet = await startFleet(place, { apis: 1, workers: 1 }, settings);
    const { workspaceId: wId, adminKey: apiKey } = fleet.demo;
    const { url } = fleet.apis[0]!;
    const rpc = createRpcClient({ url, apiKey });
    const destination = { wId, name: "Collector", url: collector.url, encoding: "json" as const };
    const { traceDestination } = await rpc.traceDestinations.create.mutate(destination);
    const parley = createParley({ baseUrl: url, workspaceId: wId, apiKey });
    const ask = async () => {
      const message = { content: "Hi", mentions: [{ configurationId: "helper" }] };
      await parley.conversations.create({ message });
    };
    const kill = () => fleet.replaceWorker(0, "SIGKILL");
    /** Kills the worker at the next such moment of an export. */
    const killAt = async (moment: (typeof moments)[number]) => {
      if (moment === "ending") {
        await sleep(below(400));
        return kill();
      }
      const reached = Promise.withResolvers<void>();
      if (moment === "sending") collector.begin = reached.resolve;
      else {
        collector.answer = (response) => {
          if (moment === "answered") response.writeHead(200).end();
          reached.resolve();
        };
      }
      await reached.promise;
      const killed = kill();
      collector.begin = () => {};
      collector.answer = (response) => void response.writeHead(200).end();
      return killed;
    };
    for (let round = 0; round < PER_MOMENT; round++) {
      for (const moment of moments) {
        await Promise.all(Array.from({ length: ANSWERS }, ask));
        await killAt(moment);
      }
    }
    await Promise.all(Array.from({ length: ANSWERS }, ask));
    const open = ["waiting", "running", "suspended"] as const;
    await eventually(async () => {
      const found = open.map(async (status) => rpc.runs.list.query({ wId, status, limit: 1 }));
      return (await Promise.all(found)).every(({ runs }) => runs.length === 0)
        ? { value: true }
        : {};
    }, 120_000);
    const endedAt = Date.now();
    await eventually(async () => {
      const named = { wId, traceDestinationId: traceDestination.sId };
      const last = [...collector.requests].at(-1);
      const { traceDestination: now } = await rpc.traceDestinations.get.query(named);
      // What ends is exported 15 seconds later.
      return last !== undefined && Date.now() - endedAt > 20_000 && now.failingSince === null
        ? { value: true }
        : {};
    }, 120_000);

    const runIds = await listRuns(rpc, wId);
    expect(runIds).toHaveLength(ANSWERS * (PER_MOMENT * moments.length + 1));
    const traces = await Promise.all(
      runIds.map(async (runId) => (await rpc.runs.getTrace.query({ wId, runId })).trace),
    );
    const derived = traces.flatMap(({ traceId, spans }) =>
      spans.map(({ id, startedAt, endedAt: end }) => `${traceId} ${id} ${startedAt} ${end}`),
    );
    const toMs = (nano: string) => Number(BigInt(nano) / 1_000_000n);
    const received = collector.requests
      .flatMap(spansOf)
      .map(
        ({ traceId, spanId, startTimeUnixNano, endTimeUnixNano }) =>
          `${traceId} ${spanId} ${toMs(startTimeUnixNano)} ${toMs(endTimeUnixNano)}`,
      );
    expect([...new Set(received)].toSorted()).toEqual(derived.toSorted());
    // Some were sent more than once, or no kill met a request.
    expect(received.length).toBeGreaterThan(derived.length);
    expect(fleet.unexpected()).toEqual([]);
  },
);

async function listRuns(rpc: RpcClient, wId: string): Promise<string[]> {
  const ids: string[] = [];
  let lastValue: string | undefined;
  do {
    const page = await rpc.runs.list.query({ wId, limit: 100, lastValue });
    ids.push(...page.runs.map(({ id }) => id));
    lastValue = page.lastValue ?? undefined;
  } while (lastValue !== undefined);
  return ids;
}
