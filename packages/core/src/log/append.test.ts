import { describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestLog, testEnd as end, testToken as token } from "../../testing/testing.ts";
import { type Append, appendEvents } from "./append.ts";
import type { Hint } from "./bus.ts";
import { readEvents, readLogEnd } from "./read-log.ts";
import { inTransaction } from "./transaction.ts";

describe("appendEvents", () => {
  const test = coreTest();

  const db = () => test.core.database.db;
  const openLog = (fence = 0) => openTestLog(test.core, fence);
  const append = async (...appends: Append[]) => {
    const hints: Hint[] = [];
    const written = await appendEvents(db(), appends, hints);
    return { written: [...written.keys()], hints };
  };
  const textsOf = async (logId: string) => {
    const events = await readEvents(db(), logId, 0);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    return events.map(({ type, payload }) =>
      type === "generation_tokens" ? (JSON.parse(payload) as { text: string }).text : type,
    );
  };

  it("numbers the events of a log 1, 2, 3 in the order they were given", async () => {
    const logId = await openLog();
    await append({ logId, events: [token("a"), token("b")] });
    await append({ logId, events: [token("c")] });
    expect(await textsOf(logId)).toEqual(["a", "b", "c"]);
    expect(await readLogEnd(db(), logId)).toEqual({ lastSeq: 3, closed: false });
  });

  it("leaves a hint with the events and their numbers", async () => {
    const logId = await openLog();
    await append({ logId, events: [token("a")] });
    const { hints } = await append({ logId, events: [token("b"), token("c")] });
    expect(hints).toMatchObject([
      { topic: `log:${logId}`, lastSeq: 3, events: [{ seq: 2 }, { seq: 3 }] },
    ]);
  });

  it("leaves a hint without the events if they are large", async () => {
    const logId = await openLog();
    const { hints } = await append({ logId, events: [token("x".repeat(100_000))] });
    expect(hints).toEqual([{ topic: `log:${logId}`, lastSeq: 1 }]);
  });

  it("keeps the bytes of a payload", async () => {
    const logId = await openLog();
    const event = token('\u2028 "quoted" \\u0000 \u{1F600}\n');
    await append({ logId, events: [event] });
    expect((await readEvents(db(), logId, 0))[0]?.payload).toBe(JSON.stringify(event));
  });

  it("closes the log with the terminal event and refuses what comes later", async () => {
    const logId = await openLog();
    await append({ logId, events: [token("a"), end] });
    const late = await append({ logId, events: [token("late")] });
    expect(late).toEqual({ written: [], hints: [] });
    expect(await textsOf(logId)).toEqual(["a", "agent_generation_cancelled"]);
    expect(await readLogEnd(db(), logId)).toEqual({ lastSeq: 2, closed: true });
  });

  it("writes events of an unacknowledged append once, whatever comes with them", async () => {
    const logId = await openLog(2);
    const from = (lastSeq: number, ...texts: string[]) => ({
      logId,
      events: texts.map(token),
      guard: { logId, fence: 2, lastSeq },
    });
    await append(from(0, "a", "b"));
    const again = await append(from(0, "a", "b"));
    expect(again.written).toEqual([logId]);
    // The log may hold other bytes than this call was given: followers read them there.
    expect(again.hints).toEqual([{ topic: `log:${logId}`, lastSeq: 2 }]);
    const more = await append(from(0, "a", "b", "c"));
    expect(more.hints).toEqual([{ topic: `log:${logId}`, lastSeq: 3 }]);
    expect(await textsOf(logId)).toEqual(["a", "b", "c"]);
  });

  it("refuses what would leave a hole, or comes after what others have written", async () => {
    const logId = await openLog(2);
    const guard = { logId, fence: 2 };
    const nothing = { written: [], hints: [] };
    await append({ logId, events: [token("a")], guard });
    const late = { logId, events: [token("c")], guard: { ...guard, lastSeq: 2 } };
    expect(await append(late)).toEqual(nothing);
    await append({ logId, events: [token("b"), token("c")], guard });
    const stale = { logId, events: [token("x")], guard: { ...guard, lastSeq: 1 } };
    expect(await append(stale)).toEqual(nothing);
    const foreign = { ...stale, guard: { logId, fence: 1, lastSeq: 3 } };
    expect(await append(foreign)).toEqual(nothing);
    expect(await textsOf(logId)).toEqual(["a", "b", "c"]);
  });

  it("ends a log once, with the events for other logs, however often it is called", async () => {
    const [logId, other] = [await openLog(2), await openLog()];
    const guard = { logId, fence: 2, lastSeq: 0 };
    await append({ logId, events: [token("a")], guard });
    const last = [
      { logId, events: [token("a"), end], guard },
      { logId: other, events: [token("done")], guard },
    ];
    expect((await append(...last)).written.toSorted()).toEqual([logId, other].toSorted());
    const again = await append(...last);
    expect(again.written.toSorted()).toEqual([logId, other].toSorted());
    // Readers of both learn how far they go, and fetch what was committed.
    expect(again.hints).toContainEqual({ topic: `log:${other}`, lastSeq: 1 });
    expect(await textsOf(logId)).toEqual(["a", "agent_generation_cancelled"]);
    expect(await textsOf(other)).toEqual(["done"]);
    const late = [{ logId, events: [token("a"), token("b")], guard }];
    expect((await append(...late)).written).toEqual([]);
  });

  it("drops what comes with a wrong fence, and that alone", async () => {
    const [mine, lost] = [await openLog(2), await openLog(3)];
    const { written, hints } = await append(
      { logId: lost, events: [token("stale")], guard: { logId: lost, fence: 2 } },
      { logId: mine, events: [token("good")], guard: { logId: mine, fence: 2 } },
    );
    expect(written).toEqual([mine]);
    expect(hints).toHaveLength(1);
    expect(await textsOf(mine)).toEqual(["good"]);
    expect(await textsOf(lost)).toEqual([]);
  });

  it("writes under the guard of another log, and nothing once that is lost or closed", async () => {
    const [conversation, message] = [await openLog(), await openLog(1)];
    const both = (fence: number): Append[] => {
      const guard = { logId: message, fence };
      return [
        { logId: message, events: [end], guard },
        { logId: conversation, events: [token("done")], guard },
      ];
    };
    expect((await append(...both(7))).written).toEqual([]);
    expect((await append(...both(1))).written.toSorted()).toEqual(
      [conversation, message].toSorted(),
    );
    expect((await append(...both(1))).written).toEqual([]);
    expect(await textsOf(conversation)).toEqual(["done"]);
    expect(await textsOf(message)).toEqual(["agent_generation_cancelled"]);
  });

  it("keeps the order of several appends to one log, and hints at the part that was written", async () => {
    const logId = await openLog(4);
    const { hints } = await append(
      { logId, events: [token("a"), token("b")], guard: { logId, fence: 4 } },
      { logId, events: [token("stale")], guard: { logId, fence: 3 } },
      { logId, events: [token("c")], guard: { logId, fence: 4 } },
    );
    expect(await textsOf(logId)).toEqual(["a", "b", "c"]);
    // Which of the entries were refused is only in the log.
    expect(hints).toEqual([{ topic: `log:${logId}`, lastSeq: 3 }]);
  });

  it("writes nothing for a log that does not exist, and nothing at all for no events", async () => {
    const logId = await openLog();
    const { written } = await append(
      { logId: "unknown", events: [token("x")] },
      { logId, events: [] },
    );
    expect(written).toEqual([]);
    expect(await readLogEnd(db(), logId)).toEqual({ lastSeq: 0, closed: false });
  });

  it("takes no number for a transaction that is rolled back", async () => {
    const logId = await openLog();
    const broken = inTransaction(test.core, async (transaction) => {
      await appendEvents(transaction.db, [{ logId, events: [token("gone")] }], []);
      throw new Error("broken");
    });
    await expect(broken).rejects.toThrow("broken");
    await append({ logId, events: [token("first")] });
    expect(await textsOf(logId)).toEqual(["first"]);
  });

  it("lets 16 writers append to the same logs in any order, densely and without deadlock", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => openLog()));
    const rounds = 10;
    const writer = async (name: number) => {
      for (let round = 0; round < rounds; round++) {
        const order = ids.map((_, at) => ids[(at * (1 + (name % 4)) + round) % ids.length]!);
        await inTransaction(test.core, async (transaction) => {
          const appends = order.map((logId) => ({ logId, events: [token(`${name}/${round}`)] }));
          await appendEvents(transaction.db, appends, transaction.afterCommit);
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, name) => writer(name)));
    for (const logId of ids) {
      const texts = await textsOf(logId);
      expect(texts).toHaveLength(16 * rounds);
      for (let name = 0; name < 16; name++) {
        const ofWriter = texts.filter((text) => text.startsWith(`${name}/`));
        expect(ofWriter).toEqual(Array.from({ length: rounds }, (_, at) => `${name}/${at}`));
      }
    }
  });
});
