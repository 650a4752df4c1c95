import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { tapPostgres, tapRedis, type Traffic } from "@parley/core/testing-traffic";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { open, pathsOf, send } from "../request.ts";
import { createPlace, type Place } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createCosts, expectAtMost, turnRows } from "./count-costs.ts";
import { type Fleet, startFleet } from "./fleet.ts";

// What an operation asks of PostgreSQL and Redis, counted on the wire of an API and of a worker. The
// load that a server carries is divided by these numbers: one that grows is a decision, made here.

describe.skipIf(redisServer.isMissing)(`costs${redisServer.suffix}`, () => {
  const stack = new AsyncDisposableStack();
  let redis: TestRedis;
  let place: Place;
  let fleet: Fleet;
  let pool: pg.Pool;
  let costs: Awaited<ReturnType<typeof createCosts>>;
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
    costs = await createCosts(taps, pool);
  });
  afterAll(() => stack.disposeAsync());

  const api = () => ({ url: fleet.apis[0]!.url, demo: fleet.demo });
  const calls = createCalls(api);

  const workerOfTurn = {
    "worker sql": { claim_turns: 1, finish_turns: 1 },
    "worker redis": { PUBLISH: 2 },
  };

  test("a create writes what it makes in one statement, and its turn is ended in another", async () => {
    const create = async () => {
      await calls.create("Hello", ["helper"]);
      await costs.untilAllEnded();
    };
    expectAtMost(await costs.costOf(create), {
      "api sql": { insert_conversation: 1 },
      "api redis": { EVALSHA: 1, PUBLISH: 1 },
      ...workerOfTurn,
      rows: turnRows,
    });
  });

  test("waiting for an answer costs one read and a subscription", async () => {
    const cost = await costs.costOf(() => calls.create("Hello", ["helper"], { blocking: true }));
    expectAtMost(cost, {
      "api sql": {
        insert_conversation: 1,
        'select "id", "last_seq", "closed_at" from "logs" where "logs"."id" in ($1)': 1,
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
    expectAtMost(await costs.costOf(invoke), {
      "api sql": {
        insert_invocations: 1,
        'select "id", "last_seq", "closed_at" from "logs" where "logs"."id" in ($1)': 1,
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
    costs.clearTaps();
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
