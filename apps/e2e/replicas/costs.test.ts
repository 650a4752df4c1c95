import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { tapPostgres, tapRedis, type Traffic } from "@parley/core/testing-traffic";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { open, pathsOf, send } from "../request.ts";
import { createPlace, eventually, type Place } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { countWrites, type Writes } from "./writes.ts";

// What an operation asks of PostgreSQL and Redis, counted on the wire of an API and of a worker. The
// load that a server carries is divided by these numbers: one that grows is a decision, made here.

/** What one operation costs: how often what, by who asks whom. */
type Costs = Readonly<Record<string, Readonly<Record<string, number>>>>;

const TIMES = 40;

describe.skipIf(redisServer.isMissing)(`costs${redisServer.suffix}`, () => {
  const stack = new AsyncDisposableStack();
  let redis: TestRedis;
  let place: Place;
  let fleet: Fleet;
  let pool: pg.Pool;
  let writes: Writes;
  const taps: Record<string, Traffic> = {};
  beforeAll(async () => {
    redis = await startTestRedis();
    stack.defer(() => redis.kill());
    place = stack.use(await createPlace());
    for (const name of ["api", "worker"]) {
      taps[`${name} sql`] = stack.use(await tapPostgres(place.databaseUrl!));
      taps[`${name} redis`] = stack.use(await tapRedis(redis.url));
    }
    const behind = (name: string) => ({
      DATABASE_URL: taps[`${name} sql`]!.url,
      REDIS_URL: taps[`${name} redis`]!.url,
    });
    const apis = behind("api");
    const workers = behind("worker");
    // Calls are counted, but for those that the tests themselves look with.
    const settings = {
      PARLEY_RATE_READ_PER_MINUTE: "0",
      PARLEY_RATE_CREATE_PER_MINUTE: "1000000",
      PARLEY_RATE_CREATE_PER_HOUR: "1000000",
      PARLEY_RATE_INVOKE_PER_MINUTE: "1000000",
      apis,
      workers,
    };
    fleet = stack.use(await startFleet(place, { apis: 1, workers: 1 }, settings));
    pool = new pg.Pool({ connectionString: place.databaseUrl, max: 1 });
    stack.defer(() => pool.end());
    writes = await countWrites(pool);
  });
  afterAll(() => stack.disposeAsync());

  const api = () => ({ url: fleet.apis[0]!.url, demo: fleet.demo });
  const calls = createCalls(api);

  const clearTaps = () => {
    for (const tap of Object.values(taps)) tap.clear();
  };

  const untilAllEnded = () =>
    eventually(async () => {
      const { rows } = await pool.query("select 1 from runs where status <> 'finished' limit 1");
      return rows.length === 0 ? { value: true } : {};
    }, 20_000);

  /** What one of them asks for, of `TIMES` one after the other. */
  async function costOf(operation: () => Promise<unknown>): Promise<Costs> {
    // Each connection prepares its statements first, and directories are read.
    for (let index = 0; index < 3; index++) await operation();
    await untilAllEnded();
    clearTaps();
    await writes.clear();
    for (let index = 0; index < TIMES; index++) await operation();
    await untilAllEnded();
    const cost = Object.entries(taps).map(([name, { counts }]) => [name, perOperation(counts)]);
    return {
      ...(Object.fromEntries(cost) as Costs),
      rows: perOperation(await writes.read()),
    };
  }

  /** What runs every second in the background is rarer than the operations, but for heartbeats. */
  const perOperation = (counts: ReadonlyMap<string, number>): Record<string, number> =>
    Object.fromEntries(
      [...counts]
        .map(([name, count]) => [name, Math.round(count / TIMES)] as const)
        .filter(([name, count]) => count > 0 && name !== "PING")
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );

  /** Expects no more of anything than was decided; what is not named is not to be at all. */
  function expectAtMost(cost: Costs, decided: Costs): void {
    const tooMuch = Object.entries(cost).flatMap(([of, counts]) =>
      Object.entries(counts)
        .filter(([name, count]) => count > (decided[of]?.[name] ?? 0))
        .map(([name, count]) => `${of}: ${count} x ${name}`),
    );
    expect(tooMuch).toEqual([]);
    // A count of nothing would keep every bound.
    for (const [name, counts] of Object.entries(decided)) {
      expect(Object.keys(cost[name] ?? {})).toEqual(Object.keys(counts));
    }
  }

  const turnRows = {
    "insert conversations": 1,
    "insert events": 5,
    "insert logs": 2,
    "insert messages": 2,
    "insert runs": 1,
    "update logs": 3,
    "update messages": 1,
    "update runs": 2,
  };
  const workerOfTurn = {
    "worker sql": { claim_turns: 2, finish_turns: 1 },
    "worker redis": { PUBLISH: 3 },
  };

  test("a create writes what it makes in one statement, and its turn is ended in another", async () => {
    const create = async () => {
      await calls.create("Hello", ["helper"]);
      await untilAllEnded();
    };
    expectAtMost(await costOf(create), {
      "api sql": { insert_conversation: 1 },
      "api redis": { EVALSHA: 1, PUBLISH: 1 },
      ...workerOfTurn,
      rows: turnRows,
    });
  });

  test("waiting for an answer costs one read and a subscription", async () => {
    const cost = await costOf(() => calls.create("Hello", ["helper"], { blocking: true }));
    expectAtMost(cost, {
      "api sql": {
        insert_conversation: 1,
        'select "id", "last_seq" from "logs" where "logs"."id" in ($1)': 1,
      },
      "api redis": { EVALSHA: 1, PUBLISH: 1, SUBSCRIBE: 1, UNSUBSCRIBE: 1 },
      ...workerOfTurn,
      rows: turnRows,
    });
  });

  test("an invocation is written in one statement, and ended in another", async () => {
    const path = pathsOf(api()).invocations("add");
    const invoke = async () => {
      const answer = await send(api(), { path, json: { a: 1, b: 2 } });
      expect(answer.status).toBe(201);
    };
    expectAtMost(await costOf(invoke), {
      "api sql": {
        insert_invocations: 1,
        'select "id", "last_seq" from "logs" where "logs"."id" in ($1)': 1,
      },
      "api redis": { EVALSHA: 1, PUBLISH: 1, SUBSCRIBE: 1, UNSUBSCRIBE: 1 },
      "worker sql": { claim_invocations: 2, finish_invocations: 1 },
      "worker redis": { PUBLISH: 2 },
      rows: {
        "insert events": 2,
        "insert invocations": 1,
        "insert logs": 1,
        "insert runs": 1,
        "update invocations": 1,
        "update logs": 2,
        "update runs": 2,
      },
    });
  });

  test("followed events come with their hints, without reads", async () => {
    const script = { steps: [{ text: "word ".repeat(200) }], tokenDelayMs: 5 };
    const agent = await calls.createAgent("talker", script);
    const { conversation } = await calls.create("Talk", [agent]);
    const messageId = conversation.content[1]?.[0]?.sId ?? "";
    const root = pathsOf(api()).conversations.replace("/api/", "/api/sse/");
    const path = `${root}/${conversation.sId}/messages/${messageId}/events`;
    clearTaps();
    const frames = await Array.fromAsync(readFrames(await open(api(), { path })));
    expect(frames.length).toBeGreaterThan(200);
    const total = (name: string) =>
      taps[name]!.counts.values().reduce((sum, count) => sum + count, 0);
    // Most of them are what every second in the background asks for.
    expect(total("api sql")).toBeLessThan(frames.length / 10);
    // Tokens that come together are appended together.
    expect(taps["worker sql"]!.counts.get("append_events")).toBeLessThan(frames.length / 2);
    expect(taps["worker redis"]!.counts.get("PUBLISH")).toBeLessThan(frames.length / 2);
  });
});
