import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestLog, readTestLog, testToken } from "../../testing/testing.ts";
import { appendEvents } from "../log/append.ts";
import { inTransaction } from "../log/transaction.ts";
import { retryConflicts } from "./retry-conflicts.ts";

const conflict = () => Object.assign(new Error("deadlock detected"), { code: "40P01" });

describe("retryConflicts", () => {
  const random = () => 0;

  it("retries after a conflict, also if its error is the cause of another", async () => {
    const errors = [conflict(), new Error("Failed query", { cause: conflict() })];
    let tries = 0;
    const result = await retryConflicts({ random }, () => {
      const error = errors[tries++];
      return error === undefined ? Promise.resolve("done") : Promise.reject(error);
    });
    expect({ result, tries }).toEqual({ result: "done", tries: 3 });
  });

  it("gives up after five tries", async () => {
    let tries = 0;
    const failing = retryConflicts({ random }, () => (tries++, Promise.reject(conflict())));
    await expect(failing).rejects.toThrow("deadlock detected");
    expect(tries).toBe(5);
  });

  it("does not try again what failed for another reason", async () => {
    let tries = 0;
    const failing = retryConflicts({ random }, () => (tries++, Promise.reject(new Error("no"))));
    await expect(failing).rejects.toThrow("no");
    expect(tries).toBe(1);
  });
});

describe("transactions that meet", () => {
  const test = coreTest();

  const openLogs = async () =>
    [await openTestLog(test.core), await openTestLog(test.core)] as const;
  /** Resolves once it has been called twice. */
  const createGate = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let waiting = 0;
    return () => {
      if (++waiting === 2) resolve();
      return promise;
    };
  };

  it("end both after a deadlock, with each event and each hint once", async () => {
    const [one, two] = await openLogs();
    const hinted: number[] = [];
    const unsubscribes = [one, two].map((logId) =>
      test.core.bus.subscribe(`log:${logId}`, ({ lastSeq }) => void hinted.push(lastSeq)),
    );
    const bothHoldOne = createGate();
    let tries = 0;
    const append = (first: string, second: string) =>
      inTransaction(test.core, async ({ db, afterCommit }) => {
        tries++;
        await appendEvents(db, [{ logId: first, events: [testToken("x")] }], afterCommit);
        await bothHoldOne();
        await appendEvents(db, [{ logId: second, events: [testToken("x")] }], afterCommit);
      });
    await Promise.all([append(one, two), append(two, one)]);
    for (const unsubscribe of unsubscribes) unsubscribe();
    expect(tries).toBe(3);
    expect(await readTestLog(test.core, one)).toHaveLength(2);
    expect(await readTestLog(test.core, two)).toHaveLength(2);
    expect(hinted).toEqual([1, 1, 2, 2]);
  });

  it("end both when one has overtaken what the other saw", async () => {
    const [one] = await openLogs();
    const bothHaveLooked = createGate();
    let tries = 0;
    const append = () =>
      inTransaction(test.core, async ({ db, afterCommit }) => {
        tries++;
        await db.execute(sql`set transaction isolation level repeatable read`);
        await db.execute(sql`select from logs where id = ${one}`);
        await bothHaveLooked();
        await appendEvents(db, [{ logId: one, events: [testToken("x")] }], afterCommit);
      });
    await Promise.all([append(), append()]);
    expect(tries).toBe(3);
    expect(await readTestLog(test.core, one)).toHaveLength(2);
  });
});
