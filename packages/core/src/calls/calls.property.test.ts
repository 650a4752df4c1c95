import {
  actions,
  agentFunctions,
  functionApprovals,
  invocations,
  logs,
  messages,
  runs,
} from "@parley/db";
import { isNightly } from "@parley/db/testing";
import { type LogEvent, type MessageEvent, ParleyError } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  clearRuns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestFunction,
  readTestLog,
  testOutcome,
  testToken,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { loadInvocation } from "../invocations/load-invocation.ts";
import { isTerminal } from "../log/append.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { LostLease } from "../runs/leases.ts";
import { wakeSuspendedRuns } from "../runs/wake-runs.ts";
import { finishTurns } from "../turns/finish-turns.ts";
import { APPROVAL_MS } from "./call-states.ts";
import { loadTurn, type Turn } from "../turns/load-turns.ts";
import { saveStep } from "../turns/save-step.ts";
import { hasOpenCalls, settleCalls } from "./settle-calls.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { sendToolOutputs } from "./send-outputs.ts";
import { validateAction } from "./validate-action.ts";

const RUNS = isNightly ? 400 : 20;
/** What the model of the test calls in each of its steps. */
const STEPS = [["look", "buy", "mine"], ["look"], ["buy", "mine", "look"], ["mine"], []] as const;
const TEXT = "01234";
/** Of the application: two that send other outputs for the same call. */
const OUTPUTS = ["first", "second"] as const;

const test = workspaceTest({ per: "suite", keepRuns: true });
beforeAll(async () => {
  const agent = await insertTestAgent(test.core, test.workspace, { sid: "ann" });
  const look = await insertTestFunction(test.core, test.workspace, { slug: "look" });
  const buy = await insertTestFunction(test.core, test.workspace, {
    slug: "buy",
    requiresApproval: true,
  });
  await test.core.database.db.insert(agentFunctions).values([
    { agentId: agent.id, functionId: look.id, position: 0 },
    { agentId: agent.id, functionId: buy.id, position: 1 },
  ]);
});

const which = fc.oneof(fc.nat(2), fc.nat(9));
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("claim") }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant("advance"), which }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("end call"), which, fails: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("decide"),
      which,
      approved: fc.constantFrom("approved", "rejected", "always_approved"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("send output"),
      which,
      output: fc.constantFrom(...OUTPUTS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("steal") }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("wait"), long: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("cancel") }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What one worker has of a turn: it never learns that the run was taken from it. */
interface Attempt {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  settled: boolean;
}

/** Everything that is under way; what a worker holds may have been taken from it. */
interface World {
  readonly cId: string;
  readonly mId: string;
  readonly turns: Attempt[];
  readonly calls: ClaimedRun[];
}

async function take(world: World, claimed: readonly ClaimedRun[]): Promise<void> {
  for (const run of claimed) {
    if (run.kind === "invocation") world.calls.push(run);
    else world.turns.push({ run, turn: (await loadTurn(test.core, run))!, settled: false });
  }
}

/** Counted from the newest. */
function pick<T>(rows: readonly T[], index: number): T | undefined {
  return rows.toReversed()[index % rows.length];
}

/** One transaction of a turn, as a worker would continue with it. */
async function advance(attempt: Attempt): Promise<void> {
  const { run, turn } = attempt;
  if (!attempt.settled && hasOpenCalls(turn)) {
    attempt.settled = (await settleCalls(test.core, { run, turn })) !== null;
    return;
  }
  const finished = turn.message.rawContents ?? [];
  const step = finished.length;
  const slugs = STEPS[step] ?? [];
  const events: MessageEvent[] = [{ ...testToken(TEXT[step]!), step }];
  if (slugs.length === 0) {
    await finishTurns(test.core, [{ run, turn, outcome: testOutcome(TEXT), events, actions: [] }]);
    return;
  }
  const rawContents = [...finished, { step, content: TEXT[step]! }];
  const calls = slugs.map((name, index) => ({ id: `c${step}${index}`, name, params: { step } }));
  await saveStep(test.core, { run, turn, step, calls, events, rawContents, chainOfThought: null });
}

async function endCall(run: ClaimedRun, fails: boolean): Promise<void> {
  const error = { code: "threw", message: "It threw" } as const;
  const outcome = fails
    ? ({ status: "errored", error } as const)
    : ({ status: "succeeded", result: run.logId } as const);
  const loaded = await loadInvocation(test.core, run);
  await finishInvocations(test.core, [{ ...loaded, run, outcome, events: [] }]);
}

async function ignoreLost(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    const isRefused = error instanceof ParleyError && error.status === 400;
    if (!(error instanceof LostLease) && !isRefused) throw error;
  });
}

const claimOptions = { workerId: "test", leaseMs: 60_000, limit: 100 };

async function play(world: World, one: Command): Promise<void> {
  const { db } = test.core.database;
  if (one.type === "claim") await take(world, await claimRuns(test.core, claimOptions));
  else if (one.type === "advance") {
    const attempt = pick(world.turns, one.which);
    if (attempt !== undefined) await ignoreLost(advance(attempt));
  } else if (one.type === "end call") {
    const run = pick(world.calls, one.which);
    if (run !== undefined) await endCall(run, one.fails);
  } else if (one.type === "decide") {
    const { cId, mId } = world;
    const action = pick(await db.select().from(actions).orderBy(actions.id), one.which);
    if (action === undefined) return;
    const { approved } = one;
    await ignoreLost(validateAction(test.context, { cId, mId, actionId: action.sid, approved }));
  } else if (one.type === "send output") {
    const { cId, mId } = world;
    const action = pick(await db.select().from(actions).orderBy(actions.id), one.which);
    if (action === undefined) return;
    const outputs = [{ actionId: action.sid, output: one.output, isError: undefined }];
    await ignoreLost(sendToolOutputs(test.context, { cId, mId, outputs }));
  } else if (one.type === "steal") {
    await expireTestLeases(test.core);
    await take(world, await takeOverRuns(test.core, claimOptions));
  } else if (one.type === "wait") {
    if (one.long) test.clock.now += APPROVAL_MS;
    await db.execute(sql`update runs set run_after = now() where status = 'suspended'`);
    await wakeSuspendedRuns(test.core, 100);
  } else await cancelMessages(test.context, { cId: world.cId, messageIds: [world.mId] });
}

/** Lets honest workers end what is left. */
async function drain(world: World): Promise<void> {
  const { db } = test.core.database;
  for (let round = 0; round < 40; round++) {
    const left = await db
      .select()
      .from(runs)
      .where(sql`${runs.status} <> 'finished'`);
    if (left.length === 0) return;
    for (const run of world.calls.splice(0)) await endCall(run, false);
    for (const attempt of world.turns.splice(0)) await ignoreLost(advance(attempt));
    await play(world, { type: "steal" });
    await play(world, { type: "claim" });
    const suspended = left.every(({ status }) => status === "suspended");
    if (suspended) await play(world, { type: "wait", long: true });
  }
  throw new Error("The turn never ended");
}

/** Whether a call is of the application's tool. */
const isMine = ({ toolName }: { readonly toolName: string }) => toolName === "mine";

async function check({ mId }: World): Promise<void> {
  const { db } = test.core.database;
  const events = await readTestLog(test.core, mId);
  const [row] = await db.select().from(messages).where(eq(messages.sid, mId));
  const calls = await db.select().from(actions).orderBy(actions.step, actions.position);
  const made = await db.select().from(invocations);
  const text = events.map((event) => (event.type === "generation_tokens" ? event.text : ""));
  expect(TEXT.startsWith(text.join(""))).toBe(true);
  expect(events.filter(({ type }) => isTerminal(type))).toHaveLength(1);
  expect(isTerminal(events.at(-1)?.type ?? "")).toBe(true);
  expect(
    await db
      .select()
      .from(logs)
      .where(sql`${logs.id} like 'sfi%' and closed_at is null`),
  ).toEqual([]);

  const sids = (type: LogEvent["type"]) =>
    events.flatMap((event) => (event.type === type && "action" in event ? event.action.sId : []));
  expect(sids("tool_params")).toEqual(calls.map(({ sid }) => sid));
  const told = sids("agent_action_success");
  expect(new Set(told).size).toBe(told.length);
  const succeeded = row?.status === "succeeded";
  expect(["succeeded", "cancelled"]).toContain(row?.status);
  const toldAll = succeeded ? calls.map(({ sid }) => sid) : told;
  expect(told.toSorted()).toEqual(toldAll.toSorted());
  expect(text.join("")).toBe(succeeded ? TEXT : text.join(""));
  const names = calls.map(({ toolName }) => toolName);
  expect(names).toEqual(STEPS.flat().slice(0, succeeded ? undefined : names.length));
  for (const call of calls) {
    expect(["succeeded", "errored", "denied"]).toContain(call.status);
    const isSent = OUTPUTS.some((one) => JSON.stringify(call.output).includes(`"${one}"`));
    expect(isSent).toBe(isMine(call) && call.status === "succeeded");
    const ofCall = made.filter(({ actionId }) => actionId === call.id);
    // A function that was approved permanently is called without a decision.
    const mustRun = call.toolName === "look" || call.decision?.endsWith("approved") === true;
    const mayRun = !isMine(call) && call.status !== "denied" && call.decision !== "rejected";
    expect(ofCall.length).toBeGreaterThanOrEqual(mustRun ? 1 : 0);
    expect(ofCall.length).toBeLessThanOrEqual(mayRun ? 1 : 0);
    const result = call.status === "succeeded" ? JSON.stringify(ofCall[0]?.sid) : undefined;
    expect(result).toBe(result && ofCall[0]?.result);
  }
  expect(made.every(({ status }) => status !== "created")).toBe(true);
  const paused = await db
    .select()
    .from(runs)
    .where(sql`status <> 'finished'`);
  expect(paused).toEqual([]);
}

it(
  "calls each function once and tells it once, whatever workers and clients do",
  { timeout: 1_800_000 },
  async () => {
    let succeeded = 0;
    const property = fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      await clearRuns(test.core);
      await test.core.database.db.delete(functionApprovals);
      const { conversation } = await createTestConversation(test.context, ["ann"]);
      const mId = conversation.content[1]?.[0]?.sId ?? "";
      const functionTools = [{ name: "mine", description: "", parameters: { type: "object" } }];
      await test.core.database.db
        .update(messages)
        .set({ answerSettings: { functionTools } })
        .where(eq(messages.sid, mId));
      const world: World = { cId: conversation.sId, mId, turns: [], calls: [] };
      await play(world, { type: "claim" });
      for (const one of commands) await play(world, one);
      await drain(world);
      await check(world);
      succeeded++;
    });
    await fc.assert(property, { numRuns: RUNS });
    expect(succeeded).toBe(RUNS);
  },
);
