import type { Database } from "@parley/db";
import { openTestDatabase } from "@parley/db/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createDatabaseWait, type LoopDelay, watchLoopDelay } from "./overload.ts";
import { setImmediate as nextTurn } from "node:timers/promises";

/** More than any pool of the tests has. */
const CONNECTIONS = 20;

describe("the wait for the database", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it("grows while no connection gets free, and is over soon after one is", async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const held = Array.from({ length: CONNECTIONS }, () =>
      database.transaction(async () => {
        begun.resolve();
        await gate.promise;
      }),
    );
    await begun.promise;
    const wait = createDatabaseWait(database);
    try {
      await expect.poll(wait, { interval: 20 }).toBeGreaterThan(400);
    } finally {
      gate.resolve();
      await Promise.all(held);
    }
    await expect.poll(wait, { interval: 20 }).toBeLessThan(200);
  });

  it("is nothing if the database is idle", async () => {
    const wait = createDatabaseWait(database);
    for (let look = 0; look < 20; look++) {
      expect(wait()).toBeLessThan(200);
      await database.ping();
    }
  });
});

it("is nothing if the database cannot be reached: the requests tell", async () => {
  const gone = Object.assign(new Error("gone"), { code: "ECONNREFUSED" });
  const wait = createDatabaseWait({ ping: () => Promise.reject(gone) });
  wait();
  await Promise.resolve();
  expect(wait()).toBe(0);
});

describe("the delay of the event loop", () => {
  const LIMIT_MS = 80;
  let delay: LoopDelay;
  afterEach(() => delay.close());

  function block(ms: number): void {
    const end = performance.now() + ms;
    while (performance.now() < end);
  }

  /** Takes turns of so many milliseconds until the condition holds, or the patience is over. */
  async function turnUntil(condition: () => boolean, turnMs: number, gracePeriodMs: number) {
    const end = performance.now() + gracePeriodMs;
    while (!condition() && performance.now() < end) {
      block(turnMs);
      await nextTurn();
    }
    return condition();
  }

  it("tells of an event loop whose turns are long, and that they are short again", async () => {
    delay = watchLoopDelay();
    expect(await turnUntil(() => delay.currentMs() > LIMIT_MS, 100, 5000)).toBe(true);
    expect(await turnUntil(() => delay.currentMs() < LIMIT_MS, 1, 5000)).toBe(true);
  });

  it("does not tell of a single long turn", async () => {
    delay = watchLoopDelay();
    block(2500);
    expect(await turnUntil(() => delay.currentMs() > LIMIT_MS, 1, 2500)).toBe(false);
  });
});
