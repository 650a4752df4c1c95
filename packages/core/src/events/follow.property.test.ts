import { setImmediate as nextTurn } from "node:timers/promises";
import { isFullRun } from "@parley/db/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Core, inTransaction } from "../context.ts";
import { openTestCore, openTestLog, type TestCore, testEnd, testToken } from "../testing.ts";
import { appendEvents } from "./append.ts";
import type { EventBus, Hint } from "./bus.ts";
import { followLog } from "./follow.ts";
import { readEvents } from "./read.ts";

const RUNS = isFullRun ? 1000 : 100;

let test: TestCore;
beforeAll(async () => void (test = await openTestCore("pglite", { safetyPollMs: 5 })));
afterAll(() => test.close());

const fates = ["deliver", "drop", "double", "hold", "strip"] as const;

/** A bus that does to each hint, in turn, what may happen to hints. */
function careless(bus: EventBus, plan: readonly (typeof fates)[number][]): EventBus {
  const held: Hint[] = [];
  let told = 0;
  const tell = (hint: Hint): Hint[] => {
    switch (plan[told++ % plan.length]) {
      case "drop":
        return [];
      case "double":
        return [hint, hint];
      case "hold":
        held.push(hint);
        return [];
      case "strip":
        return "lastSeq" in hint ? [{ topic: hint.topic, lastSeq: hint.lastSeq }] : [hint];
      default:
        // What was held arrives after what was published later, the newest first.
        return [hint, ...held.splice(0).toReversed()];
    }
  };
  return { ...bus, publish: (hints) => bus.publish(hints.flatMap(tell)) };
}

type Command =
  | { type: "append"; count: number }
  | { type: "follow" }
  | { type: "disconnect" | "resume"; which: number }
  | { type: "pause"; turns: number };

const command = fc.oneof<fc.Arbitrary<Command>[]>(
  fc.record({ type: fc.constant("append"), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ type: fc.constant("follow") }),
  fc.record({ type: fc.constantFrom("disconnect", "resume"), which: fc.nat(9) }),
  fc.record({ type: fc.constant("pause"), turns: fc.nat(20) }),
);

/** Follows a log over any number of connections, each from where the one before ended. */
function createFollower(core: Core, logId: string) {
  const seen: number[] = [];
  let stop = new AbortController();
  let done = Promise.resolve();
  const follow = async ({ signal }: AbortController): Promise<void> => {
    for await (const events of followLog(core, { logId, after: seen.at(-1) ?? 0, signal })) {
      for (const { seq } of events) {
        // A client that goes away has perhaps read only the beginning of a batch.
        if (signal.aborted) return;
        seen.push(seq);
        await nextTurn();
      }
    }
  };
  return {
    seen,
    /** Drops the connection, if there is one, and opens another. */
    connect: async () => {
      stop.abort();
      await done;
      stop = new AbortController();
      done = follow(stop);
    },
    disconnect: () => stop.abort(),
    isConnected: () => !stop.signal.aborted,
    end: () => done,
  };
}

/** Gives the numbers in the log, and the numbers that each follower saw. */
async function play(core: Core, commands: readonly Command[]) {
  const logId = await openTestLog(core);
  const followers: ReturnType<typeof createFollower>[] = [];
  const appends: Promise<void>[] = [];
  const append = (events: Parameters<typeof appendEvents>[1][number]["events"]) =>
    inTransaction(core, async ({ db, afterCommit }) => {
      await appendEvents(db, [{ logId, events }], afterCommit);
    });
  const open = async () => {
    const follower = createFollower(core, logId);
    followers.push(follower);
    await follower.connect();
  };
  for (const one of commands) {
    if (one.type === "append") {
      appends.push(append(Array.from({ length: one.count }, () => testToken("x"))));
    } else if (one.type === "follow") {
      await open();
    } else if (one.type === "pause") {
      for (let turn = 0; turn < one.turns; turn++) await nextTurn();
    } else {
      const follower = followers[one.which % followers.length];
      if (one.type === "resume") await follower?.connect();
      else follower?.disconnect();
    }
  }
  await open();
  await Promise.all(appends);
  await append([testEnd]);
  for (const follower of followers) {
    if (!follower.isConnected()) await follower.connect();
    await follower.end();
  }
  const log = await readEvents(core.database.db, logId, 0);
  return { all: log.map((event) => event.seq), views: followers.map(({ seen }) => seen) };
}

it(
  "shows every follower 1 to n once and in order, whatever happens to hints and connections",
  { timeout: 120_000 },
  async () => {
    const plans = fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(
      fc.array(command, { maxLength: 25 }),
      plans,
      async (commands, plan) => {
        const bus = careless(test.core.bus, plan);
        const core = Object.assign(Object.create(test.core) as Core, { bus });
        const { all, views } = await play(core, commands);
        expect(all).toEqual(all.map((_, index) => index + 1));
        for (const seen of views) expect(seen).toEqual(all);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  },
);
