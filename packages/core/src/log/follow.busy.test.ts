import { openPostgres } from "@parley/db";
import { createTemporaryDatabase } from "@parley/db/testing";
import { expect, it } from "vitest";
import { createTestCore, openTestLog, testEnd, testToken } from "../../testing/testing.ts";
import { appendEvents } from "./append.ts";
import { followLog } from "./follow.ts";
import { listenForEnds } from "./listen-for-ends.ts";

it("is not cut by a pool whose connections are all in use", async () => {
  const { url, drop } = await createTemporaryDatabase();
  const database = await openPostgres({ url, poolSize: 1, waitMs: 500 });
  const { core, close } = createTestCore(database);
  const gate = Promise.withResolvers<void>();
  try {
    const logId = await openTestLog(core);
    await appendEvents(database.db, [{ logId, events: [testToken("a"), testEnd] }], []);
    const held = Promise.withResolvers<void>();
    const holder = database.transaction(async () => {
      held.resolve();
      await gate.promise;
    });
    await held.promise;
    const { signal } = new AbortController();
    const followed = Array.fromAsync(followLog(core, { logId, after: 0, signal }));
    const { ends } = listenForEnds(core, { logIds: [logId], timeoutMs: 10_000, signal });
    // This query comes after the follower's in the pool's queue, and gives up after it.
    await expect(database.ping()).rejects.toThrow("timeout exceeded");
    gate.resolve();
    await holder;
    expect((await followed).flat().map(({ seq }) => seq)).toEqual([1, 2]);
    expect((await ends).get(logId)?.seq).toBe(2);
  } finally {
    gate.resolve();
    await close();
    await drop();
  }
});
