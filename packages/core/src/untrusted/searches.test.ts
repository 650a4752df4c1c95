import type { Queryable } from "@parley/db";
import { openTestDatabase } from "@parley/db/testing";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createSearches } from "./searches.ts";

/** Searches that end when they are released, with the connections of a search pool that is not used. */
function createHeld(connections: number) {
  const run = createSearches({ db: {} as Queryable, connections });
  const held: { workspaceId: number; release: () => void }[] = [];
  const begin = (workspaceId: number, signal = new AbortController().signal) =>
    run({ workspaceId, signal }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.push({ workspaceId, release: resolve });
      return promise;
    });
  const running = () => held.map(({ workspaceId }) => workspaceId);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const endFirst = async () => {
    held.shift()!.release();
    await settled();
  };
  return { begin, running, settled, endFirst };
}

describe("searches", () => {
  it("give a workspace its share of the connections, and others their turns", async () => {
    const { begin, running, settled, endFirst } = createHeld(4);
    const all = [1, 1, 1, 1, 2, 3].map((workspaceId) => begin(workspaceId));
    await settled();
    // The first came before the others, and has half until they are there.
    expect(running()).toEqual([1, 1, 2, 3]);
    await endFirst();
    expect(running()).toEqual([1, 2, 3]);
    await endFirst();
    expect(running()).toEqual([2, 3, 1]);
    for (let left = 4; left > 0; left--) await endFirst();
    await Promise.all(all);
  });

  it("that nobody waits for any longer are not begun", async () => {
    const { begin, running, settled, endFirst } = createHeld(2);
    const first = begin(1);
    const gone = new AbortController();
    const second = begin(1, gone.signal);
    const third = begin(1);
    await settled();
    gone.abort(new Error("gone"));
    await expect(second).rejects.toThrow("gone");
    await expect(begin(1, gone.signal)).rejects.toThrow("gone");
    await endFirst();
    expect(running()).toEqual([1]);
    await endFirst();
    await Promise.all([first, third]);
    expect(running()).toEqual([]);
  });

  it("are refused if too many of the workspace wait, which others do not notice", async () => {
    const { begin, running, settled, endFirst } = createHeld(2);
    const all = Array.from({ length: 33 }, () => begin(1));
    await expect(begin(1)).rejects.toMatchObject({ type: "rate_limit_error" });
    all.push(begin(2));
    await settled();
    expect(running()).toEqual([1, 2]);
    for (let left = all.length; left > 0; left--) await endFirst();
    await Promise.all(all);
  });

  it("end after a second with an error of their own, and say what they took", async () => {
    const database = await openTestDatabase();
    try {
      const run = createSearches(database.searches);
      let tookMs = 0;
      const searcher = {
        workspaceId: 1,
        signal: new AbortController().signal,
        onDatabaseMs: (ms: number) => (tookMs += ms),
      };
      const slow = run(searcher, (db) => db.execute(sql`select pg_sleep(60)`));
      await expect(slow).rejects.toMatchObject({
        type: "rate_limit_error",
        message: expect.stringContaining("took too long") as string,
      });
      expect(tookMs).toBeGreaterThan(900);
      const advised = { ...searcher, tooLong: "Ask for less" };
      const slowToo = run(advised, (db) => db.execute(sql`select pg_sleep(60)`));
      await expect(slowToo).rejects.toThrow("Ask for less");
      await run(searcher, (db) => db.execute(sql`select 1`));
    } finally {
      await database.close();
    }
  });
});
