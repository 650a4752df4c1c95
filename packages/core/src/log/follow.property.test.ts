import { setImmediate as nextTurn } from "node:timers/promises";
import { isNightly } from "@parley/db/testing";
import { logs } from "@parley/db";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestLog, testEnd, testToken } from "../../testing/testing.ts";
import type { Core } from "../create-core.ts";
import { appendEvents } from "./append.ts";
import type { EventBus, Hint, StoredEvent } from "./bus.ts";
import { followLog } from "./follow.ts";
import { readEvents } from "./read-log.ts";
import { inTransaction } from "./transaction.ts";

const RUNS = isNightly ? 5000 : 500;

const test = coreTest({ safetyPollMs: 5 });

const fates = ["deliver", "drop", "double", "hold", "strip"] as const;

/** A bus that does to each hint, in turn, what may happen to hints. */
function careless(bus: EventBus, plan: readonly (typeof fates)[number][]): EventBus {
  const held: Hint[] = [];
  let hinted = 0;
  const tell = (hint: Hint): Hint[] => {
    switch (plan[hinted++ % plan.length]) {
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
  | { type: "append"; count: number; lag: number }
  | { type: "steal" }
  | { type: "follow"; pace: Pace }
  | { type: "disconnect" | "resume"; which: number }
  | { type: "pause"; turns: number };

/** How a follower reads: as it likes, or, like a socket, so many batches until it has rested. */
type Pace = "pulled" | { batches: number; rest: number };

const pace = fc.oneof<fc.Arbitrary<Pace>[]>(
  fc.constant("pulled"),
  fc.record({ batches: fc.integer({ min: 1, max: 4 }), rest: fc.integer({ min: 1, max: 6 }) }),
);

const command = fc.oneof<fc.Arbitrary<Command>[]>(
  fc.record({
    type: fc.constant("append"),
    count: fc.integer({ min: 1, max: 6 }),
    // Most writers hold the log, some held it before.
    lag: fc.constantFrom(0, 0, 0, 1),
  }),
  fc.record({ type: fc.constant("steal") }),
  fc.record({ type: fc.constant("follow"), pace }),
  fc.record({ type: fc.constantFrom("disconnect", "resume"), which: fc.nat(9) }),
  fc.record({ type: fc.constant("pause"), turns: fc.nat(20) }),
);

/** Follows a log over any number of connections, each from where the one before ended. */
function createFollower(core: Core, logId: string, how: Pace) {
  const seen: number[] = [];
  let stop = new AbortController();
  let done = Promise.resolve();
  const pull = async ({ signal }: AbortController): Promise<void> => {
    for await (const events of followLog(core, { logId, after: seen.at(-1) ?? 0, signal })) {
      for (const { seq } of events) {
        // A client that goes away has perhaps read only the beginning of a batch.
        if (signal.aborted) return;
        seen.push(seq);
        await nextTurn();
      }
    }
  };
  const push = async ({ signal }: AbortController, { batches, rest }: Exclude<Pace, "pulled">) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let left = batches;
    const recover = async (): Promise<void> => {
      for (let turn = 0; turn < rest; turn++) await nextTurn();
      left = batches;
      following.resume();
    };
    const take = (events: readonly StoredEvent[]): boolean => {
      seen.push(...events.map(({ seq }) => seq));
      if (--left > 0) return true;
      void recover();
      return false;
    };
    const from = { logId, after: seen.at(-1) ?? 0 };
    const following = core.hub.follow({ take, end: resolve, fail: reject }, from);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    following.stop();
  };
  return {
    seen,
    /** Drops the connection, if there is one, and opens another. */
    connect: async () => {
      stop.abort();
      await done;
      stop = new AbortController();
      done = how === "pulled" ? pull(stop) : push(stop, how);
    },
    disconnect: () => stop.abort(),
    isConnected: () => !stop.signal.aborted,
    end: () => done,
  };
}

/** Gives the log, and the numbers that each follower saw. */
async function play(core: Core, commands: readonly Command[]) {
  const logId = await openTestLog(core, 1);
  let fence = 1;
  const followers: ReturnType<typeof createFollower>[] = [];
  const appends: Promise<void>[] = [];
  const append = (events: Parameters<typeof appendEvents>[1][number]["events"], lag = 0) => {
    const guard = { logId, fence: fence - lag };
    return inTransaction(core, async ({ db, afterCommit }) => {
      await appendEvents(db, [{ logId, events, guard }], afterCommit);
    });
  };
  const open = async (how: Pace) => {
    const follower = createFollower(core, logId, how);
    followers.push(follower);
    await follower.connect();
  };
  for (const one of commands) {
    if (one.type === "append") {
      const text = String(fence - one.lag);
      const events = Array.from({ length: one.count }, () => testToken(text));
      appends.push(append(events, one.lag));
    } else if (one.type === "steal") {
      fence++;
      await core.database.db.update(logs).set({ fence }).where(eq(logs.id, logId));
    } else if (one.type === "follow") {
      await open(one.pace);
    } else if (one.type === "pause") {
      for (let turn = 0; turn < one.turns; turn++) await nextTurn();
    } else {
      const follower = followers[one.which % followers.length];
      if (one.type === "resume") await follower?.connect();
      else follower?.disconnect();
    }
  }
  await open("pulled");
  await Promise.all(appends);
  await append([testEnd]);
  for (const follower of followers) {
    if (!follower.isConnected()) await follower.connect();
    await follower.end();
  }
  const log = await readEvents(core.database.db, logId, 0);
  return { log, views: followers.map(({ seen }) => seen) };
}

it(
  "shows every follower 1 to n once and in order, whatever happens to hints and connections",
  { timeout: 600_000 },
  async () => {
    const plans = fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(
      fc.array(command, { maxLength: 25 }),
      plans,
      async (commands, plan) => {
        const bus = careless(test.core.bus, plan);
        const core = Object.assign(Object.create(test.core) as Core, { bus });
        const { log, views } = await play(core, commands);
        const all = log.map((event) => event.seq);
        expect(all).toEqual(all.map((_, index) => index + 1));
        for (const seen of views) expect(seen).toEqual(all);
        // The writer that lost the log has written nothing after the one that took it.
        const fences = log.slice(0, -1).map(({ payload }) => Number(JSON.parse(payload).text));
        expect(fences).toEqual(fences.toSorted((a, b) => a - b));
        expect(core.hub.count()).toEqual({ logs: 0, followers: 0 });
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  },
);
