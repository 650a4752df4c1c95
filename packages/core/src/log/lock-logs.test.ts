import { logs } from "@parley/db";
import { inArray } from "drizzle-orm";
import { expect, describe, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestLog } from "../../testing/testing.ts";
import { fenceLogs } from "./lock-logs.ts";

describe("fenceLogs", () => {
  const test = coreTest();

  it("raises the fences of logs, and only locks the unfenced one, until the transaction ends", async () => {
    const [fenced, unfenced, other] = [
      await openTestLog(test.core, 3),
      await openTestLog(test.core, 5),
      await openTestLog(test.core),
    ];
    const ids = [fenced, unfenced, other];
    const { db } = test.core.database;
    /** The logs among them that nobody has locked. */
    const readFree = async () => {
      const free = await db
        .select({ id: logs.id })
        .from(logs)
        .where(inArray(logs.id, ids))
        .for("update", { skipLocked: true });
      return free.map(({ id }) => id);
    };
    const { promise: looked, resolve: end } = Promise.withResolvers<void>();
    const { promise: locked, resolve: lock } = Promise.withResolvers<Map<string, number>>();
    const locking = test.core.database.transaction(async (transaction) => {
      lock(await fenceLogs(transaction, [fenced], unfenced));
      await looked;
    });
    expect(await locked).toEqual(new Map([[fenced, 4]]));
    expect(await readFree()).toEqual([other]);
    end();
    await locking;
    expect(await readFree()).toHaveLength(3);
  });
});
