import { ROW_ID_BLOCK } from "@parley/db";
import { describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { createRowIds } from "./row-ids.ts";

describe("row ids", () => {
  const test = coreTest();

  it("gives nobody a number twice, however many ask at once in several processes", async () => {
    const processes = Array.from({ length: 3 }, () => createRowIds(test.core.database.db));
    const sizes = [1, 151, 3, 0, 97];
    const taken = await Promise.all(
      processes.flatMap((take) =>
        Array.from({ length: 60 }, (_, index) => take(sizes[index % sizes.length]!)),
      ),
    );
    const all = taken.flat();
    expect(new Set(all).size).toBe(all.length);
    for (const ids of taken) expect(ids).toEqual(ids.map((_, index) => ids[0]! + index));
  });

  it("gives a whole block at once", async () => {
    const take = createRowIds(test.core.database.db);
    expect(await take(ROW_ID_BLOCK)).toHaveLength(ROW_ID_BLOCK);
  });

  it("asks again after the database failed", async () => {
    let broken = true;
    const { db } = test.core.database;
    const flaky = new Proxy(db, {
      get: (target, key) => {
        if (broken) throw new Error("The database is gone");
        return Reflect.get(target, key) as unknown;
      },
    });
    const take = createRowIds(flaky);
    await expect(Promise.all([take(1), take(1)])).rejects.toThrow("The database is gone");
    broken = false;
    expect(await take(2)).toHaveLength(2);
  });
});
