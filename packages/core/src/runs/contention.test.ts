import { setTimeout as sleep } from "node:timers/promises";
import { logs, runs } from "@parley/db";
import { isNightly, openContendedDatabase } from "@parley/db/testing";
import { ParleyError } from "@parley/schema";
import { eq, isNotNull, ne, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { claimRuns } from "../../testing/runs.ts";
import {
  claimTestTurns,
  createTestConversation,
  createTestCore,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
  testEnd,
  testOutcome,
  testToken,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { deleteConversation, updateConversation } from "../conversations/conversations.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import type { CoreContext } from "../create-core.ts";
import { type Append, appendEvents } from "../log/append.ts";
import { compactMessageLogs } from "../log/retention.ts";
import { inTransaction } from "../log/transaction.ts";
import { finishTurns } from "../turns/finish-turns.ts";
import { loadTurn, type Turn } from "../turns/load-turns.ts";
import { saveStep } from "../turns/save-step.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import type { ClaimedRun } from "./claim-parts.ts";
import { LostLease, handBackRuns, renewLeases } from "./leases.ts";

const ACTORS = 24;
const ACTIONS = isNightly ? 500 : 100;
const CONVERSATIONS = 4;
const agentIds = ["ann", "bob", "cid", "dan", "eve"];

interface Attempt {
  readonly workerId: string;
  readonly run: ClaimedRun;
  readonly turn: Turn;
}

const below = (bound: number) => Math.floor(Math.random() * bound);
const shuffled = <T>(all: readonly T[]) =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
const some = <T>(all: readonly T[]) => shuffled(all).slice(0, 1 + below(all.length));

/** What clients and workers do to the same few logs, each action in any order of the logs. */
function createActions(context: CoreContext) {
  const conversations = new Set<string>();
  const answers = new Map<string, string>();
  let attempts: Attempt[] = [];
  const ask = async () => {
    const { conversation } = await createTestConversation(context, shuffled(agentIds));
    conversations.add(conversation.sId);
    for (const [message] of conversation.content.slice(1)) {
      answers.set(message!.sId, conversation.sId);
    }
  };
  const hold = async (workerId: string, claimed: readonly ClaimedRun[]) => {
    for (const run of claimed) {
      const turn = await loadTurn(context, run);
      if (turn !== undefined) attempts.push({ workerId, run, turn });
    }
    attempts = attempts.slice(-20);
  };
  const options = () => ({
    workerId: `worker ${below(2)}`,
    leaseMs: Math.random() < 0.5 ? -1 : 60_000,
    limit: 1 + below(8),
  });
  const ofWorker = () => {
    const { workerId } = options();
    const held = attempts.filter((attempt) => attempt.workerId === workerId);
    return { workerId, leaseMs: 60_000, logIds: shuffled(held.map(({ run }) => run.logId)) };
  };
  const guarded = ({ run }: Attempt): Append => {
    const guard = { logId: run.logId, fence: run.attempt };
    return { logId: run.logId, events: [testToken("x")], guard };
  };
  const anyConversation = () => shuffled([...conversations])[0]!;
  const actions = {
    append: async () => {
      const toConversations = some([...conversations]).map((logId) => ({
        logId,
        events: [testToken("x")],
      }));
      const appends = shuffled([...some(attempts).map(guarded), ...toConversations]);
      await appendEvents(context.database.db, appends, []);
    },
    claim: async () => {
      const claimed = options();
      await hold(claimed.workerId, await claimRuns(context, claimed));
    },
    takeOver: async () => {
      const taken = options();
      await hold(taken.workerId, await takeOverRuns(context, taken));
    },
    renew: async () => void (await renewLeases(context, ofWorker())),
    handBack: async () => {
      const { workerId, logIds } = ofWorker();
      await handBackRuns(context, { workerId, logIds, begun: true });
    },
    saveStep: async () => {
      // One of the last that began: earlier ones have mostly ended, or been taken over.
      const attempt = attempts.at(-1 - below(3));
      if (attempt === undefined) return;
      const call = { id: "c", name: "f", params: {}, output: "", isError: false, durationMs: 1 };
      const calls = [call, call];
      const rest = { events: [], rawContents: [], chainOfThought: null };
      await saveStep(context, { ...attempt, step: below(3), calls, ...rest });
    },
    finish: async () => {
      const finished = some(attempts).map((attempt) => ({
        ...attempt,
        outcome: testOutcome("x"),
        events: [testToken("x")],
        actions: [],
      }));
      await finishTurns(context, finished);
    },
    cancel: async () => {
      const cId = anyConversation();
      const messageIds = some([...answers.keys()].filter((sid) => answers.get(sid) === cId));
      await cancelMessages(context, { cId, messageIds });
    },
    retry: async () => {
      const [mId = "", cId = ""] = shuffled([...answers])[0] ?? [];
      const { message } = await retryMessage(context, { cId, mId });
      answers.delete(mId);
      answers.set(message.sId, cId);
    },
    post: async () => void (await postTestMessage(context, anyConversation())),
    rename: async () =>
      void (await updateConversation(context, { cId: anyConversation(), read: true, title: "x" })),
    compact: async () => void (await compactMessageLogs(context, { retentionMs: 0 })),
    delete: async () => {
      if (Math.random() < 0.7) return;
      const cId = anyConversation();
      await deleteConversation(context, { cId });
      conversations.delete(cId);
      for (const [mId, of] of answers) if (of === cId) answers.delete(mId);
      await ask();
    },
  };
  return { ask, actions };
}

describe("what locks logs, runs and messages", () => {
  const open = async () => {
    const contended = await openContendedDatabase();
    const { core } = createTestCore(contended.database);
    const workspace = await insertTestWorkspace(core);
    const context = await openTestContext(core, workspace);
    for (const sid of agentIds) await insertTestAgent(core, workspace, { sid });
    return { contended, core, context };
  };

  it("meets in any order without a deadlock", { timeout: 300_000 }, async () => {
    const { contended, core, context } = await open();
    const { ask, actions } = createActions(context);
    for (let count = 0; count < CONVERSATIONS; count++) await ask();

    // What holds many rows, of which there would be little work among the rest.
    const busy = ["claim", "finish", "handBack"];
    const done = new Map<string, number>();
    const mutation = async () => {
      const often = Math.random() < 0.4 ? busy : Object.keys(actions);
      // The keys of `actions`.
      const name = shuffled(often)[0] as keyof typeof actions;
      try {
        await actions[name]();
        done.set(name, (done.get(name) ?? 0) + 1);
      } catch (error) {
        // What was asked for had ended, or was gone.
        if (!(error instanceof ParleyError) && !(error instanceof LostLease)) throw error;
      }
    };
    // What seldom succeeds is tried until it has.
    const isEveryDone = () => done.size === Object.keys(actions).length;
    const actors = Array.from({ length: ACTORS }, async () => {
      for (let count = 0; count < ACTIONS || (!isEveryDone() && count < 5 * ACTIONS); count++) {
        await mutation();
      }
    });
    await Promise.all(actors);

    const ended = await core.database.db.$count(logs, isNotNull(logs.closedAt));
    expect([...done.keys()].toSorted()).toEqual(Object.keys(actions).toSorted());
    expect(ended).toBeGreaterThan(0);
    expect(await contended.close()).toEqual({ deadlocks: 0 });
  });

  it("hands back what somebody is just ending, when that has happened", async () => {
    const { contended, core, context } = await open();
    await createTestConversation(context, agentIds);
    const claimed = await claimTestTurns(core);
    const logIds = claimed.map(({ run }) => run.logId).toSorted();
    const waiting = sql`pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
    const ending = Promise.withResolvers<void>();
    const ended = inTransaction(core, async ({ db, afterCommit }) => {
      const appends = logIds.map((logId) => ({ logId, events: [testEnd] }));
      await appendEvents(db, appends, afterCommit);
      const end = (logId: string) =>
        db.update(runs).set({ status: "finished" }).where(eq(runs.logId, logId));
      await end(logIds.at(-1)!);
      ending.resolve();
      while ((await db.$count(waiting)) === 0) await sleep(5);
      for (const logId of logIds) await end(logId);
    });
    await ending.promise;
    await Promise.all([ended, handBackRuns(core, { workerId: "test", logIds, begun: true })]);
    expect(await core.database.db.$count(runs, ne(runs.status, "finished"))).toBe(0);
    expect(await contended.close()).toEqual({ deadlocks: 0 });
  });
});
