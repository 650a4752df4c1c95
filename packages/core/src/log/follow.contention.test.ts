import { createHash } from "node:crypto";
import { isNightly, openContendedDatabase } from "@parley/db/testing";
import { describe, expect, it } from "vitest";
import { createTestCore, openTestLog, testEnd, testToken } from "../../testing/testing.ts";
import type { Core } from "../create-core.ts";
import { type Append, appendEvents, isTerminal } from "./append.ts";
import type { StoredEvent } from "./bus.ts";
import { followLog } from "./follow.ts";
import { readEvents } from "./read-log.ts";
import { inTransaction } from "./transaction.ts";

const EVENTS = isNightly ? 100_000 : 10_000;
const WRITERS = 32;
const LOGS = 20;
const FOLLOWERS_PER_LOG = 8;
const MAX_BATCH = 40;
/** One transaction in so many locks its logs in no order, as no code here does, so that some deadlock. */
const DISORDERLY = isNightly ? 200 : 50;

const below = (bound: number) => Math.floor(Math.random() * bound);

/** What a follower, or a reader of the log, saw. */
function createView() {
  const hash = createHash("sha256");
  let last = 0;
  return {
    last: () => last,
    /** Throws at a gap and at what comes twice. */
    see: (events: readonly StoredEvent[]): void => {
      for (const { seq, payload } of events) {
        if (seq !== last + 1) throw new Error(`${seq} came after ${last}`);
        last = seq;
        hash.update(payload).update("\n");
      }
    },
    digest: () => hash.digest("hex"),
  };
}

/** Appends what is left, a batch to some of the logs at a time. */
async function write(core: Core, name: number, from: { logIds: string[]; left: number }) {
  for (let count = 0; from.left > 0;) {
    const size = Math.min(from.left, 1 + below(MAX_BATCH));
    from.left -= size;
    const byLog = new Map<string, Append & { events: ReturnType<typeof testToken>[] }>();
    for (let at = 0; at < size; at++) {
      const logId = from.logIds[below(LOGS)]!;
      const append = byLog.getOrInsertComputed(logId, () => ({ logId, events: [] }));
      append.events.push(testToken(`${name}/${count++}`));
    }
    const appends = [...byLog.values()];
    await inTransaction(core, async ({ db, afterCommit }) => {
      const disorderly = below(DISORDERLY) === 0;
      const statements = disorderly ? appends.map((append) => [append]) : [appends];
      for (const statement of statements) await appendEvents(db, statement, afterCommit);
    });
  }
}

/** Follows a log to its end, from some time on, over some connections. */
async function follow(core: Core, logId: string) {
  const view = createView();
  await new Promise((resolve) => setTimeout(resolve, below(50)));
  for (let ended = false; !ended;) {
    const stop = new AbortController();
    const batchesBeforeAbort = below(2) === 0 ? Infinity : 200;
    let batches = 0;
    ended = true;
    for await (const events of followLog(core, {
      logId,
      after: view.last(),
      signal: stop.signal,
    })) {
      view.see(events);
      // A follower that returns after the end would wait for ever: the API does not begin to follow then.
      if (++batches < batchesBeforeAbort || isTerminal(events.at(-1)!.type)) continue;
      ended = false;
      break;
    }
  }
  return { seen: view.last(), digest: view.digest() };
}

/** Reads a whole log; throws when the events of a writer are not in the order it wrote them. */
async function readLog(core: Core, logId: string) {
  const view = createView();
  const newest = new Map<string, number>();
  for (let page; (page = await readEvents(core.database.db, logId, view.last())).length > 0;) {
    view.see(page);
    for (const { payload } of page) {
      const { text = "" } = JSON.parse(payload) as { text?: string };
      const [writer = "", count = ""] = text.split("/");
      if (text !== "" && (newest.get(writer) ?? -1) >= Number(count)) {
        throw new Error(`${text} came after ${newest.get(writer)}`);
      }
      newest.set(writer, Number(count));
    }
  }
  return { seen: view.last(), digest: view.digest() };
}

describe(`${WRITERS} writers, ${LOGS} logs and their followers`, () => {
  it(
    `see ${EVENTS} events: none is missing, none comes twice, no deadlock is in the way`,
    { timeout: 300_000 },
    async ({ annotate }) => {
      const contended = await openContendedDatabase();
      const { core } = createTestCore(contended.database);
      const logIds = await Promise.all(Array.from({ length: LOGS }, () => openTestLog(core)));
      const followers = logIds.flatMap((logId) =>
        Array.from({ length: FOLLOWERS_PER_LOG }, () => follow(core, logId)),
      );
      const work = { logIds, left: EVENTS };
      await Promise.all(Array.from({ length: WRITERS }, (_, name) => write(core, name, work)));
      await inTransaction(core, async ({ db, afterCommit }) => {
        const ends = logIds.map((logId) => ({ logId, events: [testEnd] }));
        await appendEvents(db, ends, afterCommit);
      });
      const views = await Promise.all(followers);

      const all = await Promise.all(logIds.map((logId) => readLog(core, logId)));
      const sum = (counts: readonly { seen: number }[]) =>
        counts.reduce((total, { seen }) => total + seen, 0);
      expect(sum(all)).toBe(EVENTS + LOGS);
      expect(sum(views)).toBe((EVENTS + LOGS) * FOLLOWERS_PER_LOG);
      expect(views).toEqual(
        all.flatMap((log) => Array.from({ length: FOLLOWERS_PER_LOG }, () => log)),
      );
      const { deadlocks } = await contended.close();
      await annotate(`${sum(views)} events were seen, ${deadlocks} deadlocks were retried`);
    },
  );
});
