import { actions, conversations, messages, runs, usageEntries } from "@parley/db";
import { isNightly } from "@parley/db/testing";
import type { TeamMember } from "@parley/schema";
import { eq, inArray, isNotNull, ne } from "drizzle-orm";
import { expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { createDraw, type Draw } from "../../testing/draw.ts";
import {
  claimTestTurns,
  clearRuns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  readTestLog,
  readTestTree,
  testOutcome,
} from "../../testing/testing.ts";
import { hasOpenCalls, settleCalls } from "../calls/settle-calls.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { getConsumption } from "../conversations/consumption.ts";
import type { ActionRow } from "../data-access/rows.ts";
import { isTerminal } from "../log/append.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { LostLease } from "../runs/leases.ts";
import { wakeQueuedRuns } from "../runs/wake-runs.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { finishTurns } from "../turns/finish-turns.ts";
import { loadTurn, type Turn } from "../turns/load-turns.ts";
import { isHandedOver } from "../turns/turn-team.ts";
import { saveStep } from "../turns/save-step.ts";
import type { BilledCall } from "../usage/usage-ledger.ts";
import { prepareTasks } from "./create-tasks.ts";
import { endTasks } from "./end-tasks.ts";

const SEEDS = isNightly ? 600 : 15;
const COMMANDS = 60;
const limits = { depth: 3, atOnce: 3, inAll: 12 };
const agentSids = ["ann", "bob", "eve"];

const test = workspaceTest({ per: "suite", keepRuns: true });

/** What one worker has of a run: it never learns that the run was taken from it. */
interface Attempt {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  actions: readonly ActionRow[];
  /** Steps that the answer has. */
  steps: number;
  /** Calls of models that the attempt has made. */
  calls: number;
  isOver: boolean;
}

const toAttempt = ({ run, turn }: Pick<Attempt, "run" | "turn">): Attempt => ({
  run,
  turn,
  actions: turn.actions,
  steps: turn.message.steps?.length ?? 0,
  calls: 0,
  isOver: false,
});

/** A tree of agents, and the workers on it. */
interface World {
  readonly draw: Draw;
  readonly cId: string;
  readonly attempts: Attempt[];
}

const bill = ({ run, turn, calls, steps }: Attempt): BilledCall => ({
  workspaceId: run.workspaceId,
  origin: "answer",
  logId: run.logId,
  attempt: run.attempt,
  call: calls,
  step: steps,
  conversationId: turn.conversation.id,
  spaceId: null,
  apiKeyId: run.apiKeyId,
  userId: run.userId,
  agentId: turn.agent.sid,
  providerId: "simulated",
  modelId: "simulated-1",
  currency: "USD",
  at: test.core.now(),
  inputTokens: 1,
  outputTokens: 1,
  amount: 1n,
  isEstimated: false,
  reservationId: null,
});

const stepsOf = (count: number) =>
  Array.from({ length: count }, (_, step) => {
    return { step, inputTokens: 1, outputTokens: 1, durationMs: 1 };
  });

/** Advances a turn as its worker would, by one step at most. */
async function advance(attempt: Attempt, draw: Draw, ends: boolean): Promise<void> {
  const { run, turn } = attempt;
  if (hasOpenCalls({ actions: attempt.actions })) {
    if (run.exhausted) await endTasks(test.core, run.logId);
    const open = { ...turn, actions: attempt.actions };
    const settled = await settleCalls(test.core, { run, turn: open, giveUp: run.exhausted });
    if (settled === null) {
      attempt.isOver = true;
      return;
    }
    attempt.actions = settled.actions;
  }
  const isHanded = isHandedOver(turn, attempt.actions);
  if (ends || run.exhausted || isHanded || attempt.steps >= 3 || draw.happens(30)) {
    return finish(attempt, draw, isHanded);
  }
  const name = draw.happens(10) ? "handover_to_" : "ask_";
  const calls = Array.from({ length: 1 + draw.below(3) }, (_, index) => ({
    id: `c${attempt.steps}.${index}`,
    name: `${name}${draw.oneOf(agentSids)}`,
    params: name === "ask_" ? { task: "Do it" } : {},
  }));
  const step = attempt.steps;
  const usage = [bill(attempt)];
  const answer = { rawContents: [], chainOfThought: null, steps: stepsOf(step + 1), usage };
  const tasks = await prepareTasks(test.core, { run, turn, calls }, limits);
  const save = async () =>
    saveStep(test.core, { run, turn, step, calls, events: [], tasks, ...answer });
  await save();
  // The acknowledgement was lost: the suspended turn is no longer the attempt's.
  if (draw.happens(20)) await save().catch(ignoreLost);
  attempt.isOver = true;
}

async function finish(attempt: Attempt, draw: Draw, isHanded: boolean): Promise<void> {
  const { run, turn, steps, actions: called } = attempt;
  const error = { code: "broken", message: "It broke", metadata: null };
  const made = isHanded || run.exhausted ? 0 : 1;
  const outcome = {
    ...testOutcome(`Answer of ${turn.agent.sid}`, draw.happens(20) ? error : null),
    steps: stepsOf(steps + made),
  };
  const usage = made === 0 ? [] : [bill(attempt)];
  await finishTurns(test.core, [{ run, turn, outcome, events: [], actions: called, usage }]);
  attempt.isOver = true;
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof LostLease)) throw error;
}

async function takeOver(world: World): Promise<void> {
  await expireTestLeases(test.core);
  const taken = await takeOverRuns(test.core, { workerId: "thief", leaseMs: 60_000, limit: 100 });
  for (const run of taken) {
    const turn = await loadTurn(test.core, run);
    if (turn !== undefined) world.attempts.push(toAttempt({ run, turn }));
  }
}

async function claim(world: World): Promise<void> {
  world.attempts.push(...(await claimTestTurns(test.core)).map(toAttempt));
}

async function cancel({ draw, cId }: World): Promise<void> {
  const { conversationId, messageId } = draw.oneOf(await readTestTree(test.core, cId));
  await cancelMessages(test.context, { cId: conversationId, messageIds: [messageId] });
}

async function act(world: World): Promise<void> {
  const { draw, attempts } = world;
  const chance = draw.below(100);
  if (chance < 25) return claim(world);
  if (chance < 33) return takeOver(world);
  if (chance < 37) return cancel(world);
  const held = attempts.filter(({ isOver }) => !isOver);
  const attempt = held[draw.below(Math.max(1, held.length))];
  if (attempt !== undefined) await advance(attempt, draw, false).catch(ignoreLost);
}

/** Ends all that has not ended, as workers would that are not killed any more. */
async function drain(world: World): Promise<void> {
  for (let round = 0; round < 60; round++) {
    const open = await test.core.database.db.$count(runs, ne(runs.status, "finished"));
    if (open === 0) return;
    world.attempts.length = 0;
    await wakeQueuedRuns(test.core, { after: "", limit: 100 });
    await takeOver(world);
    await claim(world);
    for (const attempt of world.attempts) {
      await advance(attempt, world.draw, true).catch(ignoreLost);
    }
  }
  throw new Error("The tree does not end");
}

/** No task outlives the answer that asked for it, and nothing that was handed over a cancelled one. */
async function checkOrphans({ cId }: World): Promise<void> {
  const tree = await readTestTree(test.core, cId);
  const byLog = new Map(tree.map((one) => [one.messageId, one]));
  const orphans = tree.filter(({ run, depth, parentLogId }) => {
    const parent = parentLogId === null ? undefined : byLog.get(parentLogId);
    const isLeft = depth > 0 ? parent?.run === "finished" : parent?.outcome === "cancelled";
    return run !== "finished" && isLeft;
  });
  expect(orphans).toEqual([]);
}

async function check({ cId }: World): Promise<number> {
  const { db } = test.core.database;
  const tree = await readTestTree(test.core, cId);
  const byLog = new Map(tree.map((one) => [one.messageId, one]));
  for (const { messageId, parentLogId, status, run, calls } of tree) {
    const log = await readTestLog(test.core, messageId);
    expect(log.filter(({ type }) => isTerminal(type))).toHaveLength(1);
    expect(isTerminal(log.at(-1)!.type)).toBe(true);
    expect(run).toBe("finished");
    expect(status).not.toBe("created");
    expect(calls.filter((call) => call === "running")).toEqual([]);
    expect(parentLogId === null || byLog.has(parentLogId)).toBe(true);
    const started = log.filter(({ type }) => type === "agent_task_started");
    const children = tree.filter((one) => one.parentLogId === messageId && one.depth > 0);
    expect(started).toHaveLength(children.length);
  }
  const tasks = await db.select().from(conversations).where(isNotNull(conversations.rootId));
  const called = await db
    .select()
    .from(actions)
    .where(
      inArray(
        actions.id,
        tasks.map(({ parentActionId }) => parentActionId ?? 0),
      ),
    );
  // Each call has one task, and each task a call.
  expect(new Set(called.map(({ id }) => id)).size).toBe(tasks.length);
  expect(tasks.length).toBeLessThanOrEqual(limits.inAll);
  expect(tree.every(({ depth }) => depth <= limits.depth)).toBe(true);
  // What was billed is what the steps say, of each answer and so of the tree.
  const rows = await db.select().from(messages).where(eq(messages.type, "agent_message"));
  const steps = rows.reduce((sum, row) => sum + (row.steps?.length ?? 0), 0);
  const billed = await db
    .select()
    .from(usageEntries)
    .where(
      inArray(
        usageEntries.conversationId,
        rows.map(({ conversationId }) => conversationId),
      ),
    );
  expect(billed).toHaveLength(steps);
  const { total } = await getConsumption(test.context, { cId, limit: 10, lastValue: undefined });
  expect(total).toMatchObject({ answers: tree.length, steps, inputTokens: steps });
  return tree.length;
}

it(
  "ends every node of a tree once, leaves no orphan and bills each step, whatever is killed or cancelled",
  { timeout: 1_800_000 },
  async () => {
    const team = agentSids.flatMap((agentId): TeamMember[] => [
      { agentId, name: agentId, mode: "ask" },
      { agentId, name: agentId, mode: "handover" },
    ]);
    for (const sid of agentSids) await insertTestAgent(test.core, test.workspace, { sid, team });
    const sizes: number[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      await clearRuns(test.core);
      const draw = createDraw(seed);
      const { conversation } = await createTestConversation(test.context, ["ann"]);
      const world: World = { draw, cId: conversation.sId, attempts: [] };
      for (let played = 0; played < COMMANDS; played += 2) {
        await Promise.all([act(world), act(world)]);
        await checkOrphans(world);
      }
      await drain(world);
      sizes.push(await check(world));
    }
    // It has played what it is about.
    expect(Math.max(...sizes)).toBeGreaterThan(8);
  },
);
