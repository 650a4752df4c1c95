import { events, type Queryable } from "@parley/db";
import { isNightly } from "@parley/db/testing";
import { type LogEvent, toStorable } from "@parley/schema";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { ageTestLog, clearRuns, openTestLog, testEnd, testToken } from "../../testing/testing.ts";
import { appendEvents } from "./append.ts";
import { followLog } from "./follow.ts";
import { readEvents, readLogEnd } from "./read-log.ts";
import { compactMessageLogs, trimInvocationLogs } from "./retention.ts";
import { inTransaction } from "./transaction.ts";

const MINUTE_MS = 60_000;
const retention = { retentionMs: 60 * MINUTE_MS };

type Token = Extract<LogEvent, { type: "generation_tokens" }>;

const thought = (text: string): Token => ({
  ...(testToken(text) as Token),
  classification: "chain_of_thought",
});
const call = { type: "tool_params", created: 1, step: 0 } as unknown as LogEvent;

const ofInvocation = { created: 1, invocationId: "sfi_x", functionId: "sfn_x" };
const printed: LogEvent = {
  type: "sandbox_function_invocation_log",
  ...ofInvocation,
  stream: "stdout",
  text: "x",
};
const progress: LogEvent = {
  type: "sandbox_function_invocation_progress",
  ...ofInvocation,
  done: 1,
  total: 2,
  label: "x",
};
const result: LogEvent = {
  type: "sandbox_function_invocation_result",
  ...ofInvocation,
  result: null,
};

describe("retention", () => {
  const test = coreTest();

  const db = () => test.core.database.db;
  const write = async (written: readonly LogEvent[], logId?: string) => {
    const id = logId ?? (await openTestLog(test.core));
    await appendEvents(db(), [{ logId: id, events: written }], []);
    return id;
  };
  /** A log that was closed so long ago that it is trimmed. */
  const writeOld = async (written: readonly LogEvent[], logId?: string) => {
    const id = await write(written, logId);
    await ageTestLog(test.core, id, 61 * MINUTE_MS);
    return id;
  };
  const compact = async () => {
    while ((await compactMessageLogs(test.core, retention)) > 0);
  };
  const trimInvocations = async () => {
    while ((await trimInvocationLogs(test.core, retention)) > 0);
  };
  /** What a follower sees that has the events up to `after`. */
  const follow = async (logId: string, after = 0) => {
    const { signal } = new AbortController();
    const seen = [];
    for await (const batch of followLog(test.core, { logId, after, signal })) seen.push(...batch);
    return seen.map(({ seq, payload }) => [seq, JSON.parse(payload)]);
  };

  it("leaves one token with the whole text in the place of the first, and the end", async () => {
    const logId = await writeOld([testToken("Hello"), testToken(" "), testToken("you"), testEnd]);
    await compact();
    const stored = await readEvents(db(), logId, 0);
    expect(stored.map(({ seq, payload }) => [seq, payload])).toEqual([
      [1, JSON.stringify(testToken("Hello you"))],
      [4, JSON.stringify(testEnd)],
    ]);
    expect(await readLogEnd(db(), logId)).toEqual({ lastSeq: 4, closed: true });
  });

  it("keeps the members of the first token, whatever their values are", async () => {
    const first = { ...testToken("a"), step: 3, configurationId: '","text":"a"\\', created: 5 };
    const logId = await writeOld([first, testToken("b"), testEnd]);
    await compact();
    const [stored] = await readEvents(db(), logId, 0);
    expect(stored?.payload).toBe(JSON.stringify({ ...first, text: "ab" }));
  });

  it("keeps what is not a token, and drops reasoning", async () => {
    const logId = await writeOld([
      thought("hm"),
      testToken("a"),
      call,
      thought("hm"),
      testToken("b"),
      testEnd,
    ]);
    await compact();
    expect(await follow(logId)).toEqual([
      [2, testToken("ab")],
      [3, call],
      [6, testEnd],
    ]);
  });

  it("leaves the end alone of a message without text", async () => {
    const [silent, pensive] = [await writeOld([testEnd]), await writeOld([thought("hm"), testEnd])];
    await compact();
    expect(await follow(silent)).toEqual([[1, testEnd]]);
    expect(await follow(pensive)).toEqual([[2, testEnd]]);
  });

  it("gives a follower that comes back no text twice, at whatever event it was", async () => {
    const logId = await writeOld([thought("hm"), testToken("a"), testToken("b"), testEnd]);
    await compact();
    const whole = [2, testToken("ab")];
    const end = [4, testEnd];
    const expected = [[whole, end], [whole, end], [end], [end]];
    for (const [after, rest] of expected.entries()) {
      expect(await follow(logId, after)).toEqual(rest);
    }
  });

  it("leaves logs that are open, young, of conversations or of invocations", async () => {
    const two = [testToken("a"), testToken("b")];
    const [open, young] = [await write(two), await write([...two, testEnd])];
    await ageTestLog(test.core, young, 59 * MINUTE_MS);
    const invocation = await openTestLog(test.core, 0, "sfi");
    await writeOld([...two, testEnd], invocation);
    await compact();
    for (const logId of [open, young, invocation]) {
      expect((await readEvents(db(), logId, 0)).slice(0, 2)).toHaveLength(2);
    }
  });

  it("takes log and progress out of an invocation's log", async () => {
    const logId = await openTestLog(test.core, 0, "sfi");
    await writeOld([printed, progress, printed, result], logId);
    const message = await writeOld([testToken("a"), testToken("b"), testEnd]);
    await trimInvocations();
    expect(await follow(logId)).toEqual([[4, result]]);
    expect(await readEvents(db(), message, 0)).toHaveLength(3);
  });

  it("finds a log no more that it is done with", async () => {
    await clearRuns(test.core);
    for (let count = 0; count < 3; count++) await writeOld([testToken("a"), testEnd]);
    expect(await compactMessageLogs(test.core, retention)).toBe(3);
    expect(await compactMessageLogs(test.core, retention)).toBe(0);
  });

  it("compacts a long log piece by piece, each with the same text for its readers", async () => {
    await clearRuns(test.core);
    const logId = await openTestLog(test.core);
    const written = Array.from({ length: 4500 }, (_, at) =>
      at % 7 === 3 ? thought(`${at}`) : testToken(`${at} é😀\n`),
    );
    await writeOld([...written, testEnd], logId);
    const text = written.filter((one) => (one as Token).classification === "tokens");
    const whole = text.map((one) => (one as Token).text).join("");
    const textOf = (seen: unknown[][]) =>
      seen
        .map(([, event]) => event as Token)
        .filter((event) => event.classification === "tokens")
        .map((event) => event.text)
        .join("");
    const counts = [];
    while ((await compactMessageLogs(test.core, retention)) > 0) {
      const seen = await follow(logId);
      expect(textOf(seen)).toBe(whole);
      counts.push(seen.length);
    }
    // Each transaction takes 1000 events; a second round makes one of the five pieces.
    expect(counts).toEqual([3502, 2503, 1504, 505, 6, 2]);
    expect(await follow(logId)).toEqual([
      [1, testToken(whole)],
      [4501, testEnd],
    ]);
  });

  it("has bounded transactions, however many logs there are", async () => {
    await clearRuns(test.core);
    for (let count = 0; count < 4; count++) {
      const tokens = Array.from({ length: 400 }, () => testToken("x"));
      await writeOld([...tokens, testEnd]);
    }
    const left = [];
    while ((await compactMessageLogs(test.core, retention)) > 0) {
      left.push(await db().$count(events));
    }
    expect(left).toEqual([4 * 401 - 2 * 399, 4 * 401 - 4 * 399]);
  });

  it("skips locked logs, and returns to them", async () => {
    await clearRuns(test.core);
    const ids = [];
    for (let count = 0; count < 60; count++) {
      ids.push(await writeOld([testToken("a"), testToken("b"), testEnd]));
    }
    await Promise.all(Array.from({ length: 6 }, compact));
    await compact();
    for (const logId of ids) {
      expect(await follow(logId)).toEqual([
        [1, testToken("ab")],
        [3, testEnd],
      ]);
    }
  });

  it("lets appends to an open log leave its indexes alone", async () => {
    const logId = await openTestLog(test.core);
    const updates = (transaction: Queryable, kind: "updated" | "hot_updated") =>
      transaction.$count(
        sql.raw(`generate_series(1, pg_stat_get_xact_tuples_${kind}('logs'::regclass))`),
      );
    const counts = await inTransaction(test.core, async ({ db: transaction }) => {
      const before = await updates(transaction, "updated");
      const hotBefore = await updates(transaction, "hot_updated");
      for (let count = 0; count < 10; count++) {
        await appendEvents(transaction, [{ logId, events: [testToken("x")] }], []);
      }
      return {
        updated: (await updates(transaction, "updated")) - before,
        hot: (await updates(transaction, "hot_updated")) - hotBefore,
      };
    });
    expect(counts).toEqual({ updated: 10, hot: 10 });
  });
});

describe("retention of any text", () => {
  const test = coreTest();

  it("adds up to what the tokens did", { timeout: 120_000 }, async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }).map(toStorable),
      fc.constantFrom("", '"', "\\", '\\"', "\n", "\u2028", "😀", '","text":"', "\u001f\u007f"),
    );
    const token = fc.tuple(text, fc.boolean());
    const property = fc.asyncProperty(fc.array(token, { maxLength: 12 }), async (tokens) => {
      const written = tokens.map(([said, aloud]) => (aloud ? testToken(said) : thought(said)));
      const logId = await openTestLog(test.core);
      const { db } = test.core.database;
      await appendEvents(db, [{ logId, events: [...written, testEnd] }], []);
      await compactMessageLogs(test.core, { retentionMs: -MINUTE_MS });
      const first = tokens.findIndex(([, aloud]) => aloud);
      const whole = tokens.map(([said, aloud]) => (aloud ? said : "")).join("");
      const stored = await readEvents(db, logId, 0);
      expect(stored.map(({ seq, payload }) => [seq, payload])).toEqual([
        ...(first === -1 ? [] : [[first + 1, JSON.stringify(testToken(whole))]]),
        [tokens.length + 1, JSON.stringify(testEnd)],
      ]);
    });
    await fc.assert(property, { numRuns: isNightly ? 1000 : 100 });
  });
});
