import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { type DatabaseClock, startDatabaseClock } from "./database-clock.ts";

/** Far more than a round trip takes on a busy machine, and far less than the clocks are apart. */
const NEAR_MS = 5000;
const TWO_MINUTES = 120_000;

describe("the time of the database", () => {
  const test = coreTest();

  /** The clocks of a machine, which a test may set. */
  const createLocal = (wrongBy: number) => {
    const set = { timeOfDay: wrongBy, running: -wrongBy };
    return {
      set,
      running: () => performance.now() + set.running,
      timeOfDay: () => Date.now() + set.timeOfDay,
    };
  };
  const ofDatabase = statement<Record<string, never>, { now: number }>(
    "read_now_of_test",
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
  );
  const readNow = async () => (await ofDatabase.execute(test.core.database.db, {}))[0]!.now;
  /** By how much a clock differs from the database's, at most. */
  const errorOf = async (clock: DatabaseClock): Promise<number> => {
    const before = clock.now();
    const now = await readNow();
    return Math.max(before - now, now - clock.now(), 0);
  };

  it.each([0, -TWO_MINUTES, TWO_MINUTES])(
    "is shown by a machine whose own clock is wrong by %i ms",
    async (wrongBy) => {
      using clock = await startDatabaseClock(test.core.database.db, createLocal(wrongBy));
      expect(Number.isInteger(clock.now())).toBe(true);
      expect(await errorOf(clock)).toBeLessThan(NEAR_MS);
    },
  );

  it("does not leap if the machine's clock is set", async () => {
    const local = createLocal(0);
    using clock = await startDatabaseClock(test.core.database.db, local);
    local.set.timeOfDay += TWO_MINUTES;
    expect(await errorOf(clock)).toBeLessThan(NEAR_MS);
    local.set.timeOfDay -= 2 * TWO_MINUTES;
    expect(await errorOf(clock)).toBeLessThan(NEAR_MS);
  });

  it("is shown again after the machine was asleep", async () => {
    const local = createLocal(0);
    using clock = await startDatabaseClock(test.core.database.db, local);
    local.set.running -= 60 * TWO_MINUTES;
    await vi.waitFor(async () => expect(await errorOf(clock)).toBeLessThan(NEAR_MS));
  });

  it("is not started without the database", async () => {
    const gone = new Proxy(test.core.database.db, {
      get: () => {
        throw new Error("The database is gone");
      },
    });
    await expect(startDatabaseClock(gone)).rejects.toThrow("The database is gone");
  });
});
