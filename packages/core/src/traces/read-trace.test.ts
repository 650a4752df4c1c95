import { agentFunctions, runs } from "@parley/db";
import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  claimTestTurns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  insertTestFunction,
  openTestContext,
  testOutcome,
} from "../../testing/testing.ts";
import { settleCalls } from "../calls/settle-calls.ts";
import { validateAction } from "../calls/validate-action.ts";
import type { CoreContext } from "../create-core.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { loadInvocation } from "../invocations/load-invocation.ts";
import { handBackRuns } from "../runs/leases.ts";
import { takeOverRuns } from "../take-over-runs.ts";
import { finishTurns } from "../turns/finish-turns.ts";
import { loadTurn } from "../turns/load-turns.ts";
import { saveStep } from "../turns/save-step.ts";
import { readAnswerTrace, readRunTrace } from "./read-trace.ts";

const test = workspaceTest({ per: "suite", role: "builder" });
let asking: CoreContext;
beforeAll(async () => {
  const { core, workspace } = test;
  // The clock of the database dates the attempts.
  Object.assign(core, { now: Date.now });
  const pay = await insertTestFunction(core, workspace, { slug: "pay", requiresApproval: true });
  const { id: agentId } = await insertTestAgent(core, workspace, { sid: "clerk" });
  await core.database.db
    .insert(agentFunctions)
    .values({ agentId, functionId: pay.id, position: 0 });
  asking = await openTestContext(core, workspace);
});

/** An answer whose first worker died and which was approved a call. */
async function answerWithCall() {
  const { core, context } = test;
  const { conversation } = await createTestConversation(asking, ["clerk"]);
  await claimTestTurns(core);
  await expireTestLeases(core);
  const [taken] = await takeOverRuns(core, { workerId: "second", leaseMs: 60_000, limit: 10 });
  const turn = (await loadTurn(core, taken!))!;
  const calls = [{ id: "c", name: "pay", params: { euros: 7 } }];
  const measured = { step: 0, durationMs: 5, firstTokenMs: 2, startedAt: core.now(), attempt: 2 };
  const steps = [{ ...measured, inputTokens: 10, outputTokens: 2, amount: "0.5" }];
  const rawContents = [{ step: 0, content: "" }];
  const step = { run: taken!, turn, step: 0, calls, steps, rawContents, chainOfThought: null };
  const { rows } = await saveStep(core, { ...step, events: [] });
  const ids = { cId: conversation.sId, mId: taken!.logId, actionId: rows[0]!.sid };
  await validateAction(asking, { ...ids, approved: "approved" });
  const [invoked] = await claimRuns(core, { workerId: "third", leaseMs: 60_000, limit: 10 });
  const loaded = await loadInvocation(core, invoked!);
  const outcome = { status: "succeeded", result: { paid: 7 } } as const;
  await finishInvocations(core, [{ ...loaded, run: invoked!, outcome, events: [] }]);
  const [resumed] = await claimTestTurns(core);
  const settled = await settleCalls(core, resumed!);
  const ended = { ...testOutcome("Done"), steps, providerError: undefined };
  const finished = { ...resumed!, outcome: ended, events: [], actions: settled!.actions };
  await finishTurns(core, [finished]);
  return {
    wId: test.workspaceId,
    cId: ids.cId,
    mId: ids.mId,
    invocationId: invoked!.logId,
    context,
  };
}

it("shows a killed attempt, its takeover, the approved call and its invocation", async () => {
  const { context, invocationId, ...ids } = await answerWithCall();
  const { trace } = await readAnswerTrace(context, ids);
  const named = trace.spans.filter(({ kind }) => kind !== "queue");
  expect(named.map(({ kind, name, status }) => [kind, name, status])).toEqual([
    ["answer", "clerk", "succeeded"],
    ["attempt", "Attempt 1", "errored"],
    ["attempt", "Attempt 2", "succeeded"],
    ["step", "Step 1", "succeeded"],
    ["call", "pay", "succeeded"],
    ["wait", "Needs approval", "succeeded"],
    ["invocation", "pay", "succeeded"],
    ["attempt", "Attempt 1", "succeeded"],
    ["attempt", "Attempt 3", "succeeded"],
  ]);
  const call = named.find(({ kind }) => kind === "call");
  expect(call).toMatchObject({ invocationId, toolName: "pay" });
  expect(JSON.parse(call!.params!.text)).toEqual({ euros: 7 });
  expect(call!.output!.text).toContain("paid");
  const step = named.find(({ kind }) => kind === "step");
  expect(step).toMatchObject({ firstTokenMs: 2, attempt: 2, cost: { amount: "0.5" } });
  const { trace: invoked } = await readRunTrace(context, { wId: ids.wId, runId: invocationId });
  expect(invoked.spans[0]).toMatchObject({ kind: "invocation", name: "pay", parentId: null });
  expect(JSON.parse(invoked.spans[0]!.output!.text)).toEqual({ paid: 7 });
  expect(invoked.spans[0]!.id).toBe(named.find(({ kind }) => kind === "invocation")!.id);
});

it("shows users no costs, and nobody what is not of their conversation or workspace", async () => {
  const { context, ...ids } = await answerWithCall();
  const { trace } = await readAnswerTrace(asking, ids);
  expect(trace.spans.some(({ tokens }) => tokens !== undefined)).toBe(true);
  expect(trace.spans.some(({ cost }) => cost !== undefined)).toBe(false);
  const other = await openTestContext(test.core, test.workspace);
  const unknown = {
    type: "message_not_found",
    message: "mId: the conversation has no such answer",
  };
  await expect(readAnswerTrace(other, ids)).rejects.toMatchObject(unknown);
  await expect(readAnswerTrace(context, { ...ids, mId: "nothing" })).rejects.toMatchObject(unknown);
  await expect(readAnswerTrace(context, { ...ids, cId: "other" })).rejects.toMatchObject(unknown);
  const missing = { wId: ids.wId, runId: "nothing" };
  await expect(readRunTrace(context, missing)).rejects.toMatchObject({ type: "run_not_found" });
});

it("keeps at most a hundred attempts, and says that there were more", async () => {
  const { core, context, workspaceId: wId } = test;
  const { conversation } = await createTestConversation(asking, ["clerk"]);
  let mId = "";
  for (let attempt = 1; attempt <= 102; attempt++) {
    const [run] = await claimRuns(core, { workerId: "one", leaseMs: 60_000, limit: 10 });
    mId = run!.logId;
    await handBackRuns(core, { workerId: "one", logIds: [mId], begun: true });
  }
  const [run] = await core.database.db.select().from(runs).where(eq(runs.logId, mId));
  expect(run!.attempts).toHaveLength(100);
  const numbers = run!.attempts!.map(({ attempt }) => attempt);
  expect([numbers[0], ...numbers.slice(-2)]).toEqual([1, 101, 102]);
  const { trace } = await readAnswerTrace(context, { wId, cId: conversation.sId, mId });
  expect(trace.isCut).toBe(true);
  expect(trace.spans.at(-1)).toMatchObject({ kind: "queue", status: "running", endedAt: null });
});

it("writes no history of a run that its first attempt ends", async () => {
  const { core } = test;
  await createTestConversation(asking, ["clerk"]);
  const claimed = await claimTestTurns(core);
  const outcome = testOutcome("Done");
  await finishTurns(
    core,
    claimed.map((one) => ({ ...one, outcome, events: [], actions: [] })),
  );
  const rows = await core.database.db.select({ attempts: runs.attempts }).from(runs);
  expect(rows).toEqual([{ attempts: null }]);
});
