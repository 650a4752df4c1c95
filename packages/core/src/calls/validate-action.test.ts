import { actions, agentFunctions, functionApprovals, invocations, logs, runs } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { claimRuns } from "../../testing/runs.ts";
import {
  clearRuns,
  createTestConversation,
  insertTestAgent,
  insertTestFunction,
  readTestLog,
} from "../../testing/testing.ts";
import { deleteConversation } from "../conversations/conversations.ts";
import { finishInvocations } from "../invocations/finish-invocations.ts";
import { loadInvocation } from "../invocations/load-invocation.ts";
import { loadTurn } from "../turns/load-turns.ts";
import { saveStep } from "../turns/save-step.ts";
import { validateAction } from "./validate-action.ts";

const ROUNDS = 20;

describe("decisions about calls", () => {
  const test = workspaceTest({ per: "suite" });
  beforeAll(async () => {
    const agent = await insertTestAgent(test.core, test.workspace, { sid: "ann" });
    const buy = await insertTestFunction(test.core, test.workspace, {
      slug: "buy",
      requiresApproval: true,
    });
    const given = { agentId: agent.id, functionId: buy.id, position: 0 };
    await test.core.database.db.insert(agentFunctions).values(given);
  });
  beforeEach(async () => {
    await test.core.database.db.delete(functionApprovals);
  });

  const claim = () =>
    claimRuns(test.core, { workerId: "test", leaseMs: 60_000, limit: 10 }).then(([run]) => run!);
  /** An answer that waits for a decision about its one call. */
  const waitForDecision = async () => {
    const { conversation } = await createTestConversation(test.context, ["ann"]);
    const run = await claim();
    const turn = (await loadTurn(test.core, run))!;
    const calls = [{ id: "c", name: "buy", params: {} }];
    const step = { run, turn, step: 0, calls, events: [], chainOfThought: null };
    await saveStep(test.core, { ...step, rawContents: [{ step: 0, content: "" }] });
    const [action] = await test.core.database.db
      .select()
      .from(actions)
      .where(eq(actions.messageId, turn.message.id));
    return { cId: conversation.sId, mId: run.logId, actionId: action!.sid };
  };
  const readInvocations = () => test.core.database.db.select().from(invocations);

  it(
    "are made once, however many clients decide at the same time",
    { timeout: 60_000 },
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const asked = await waitForDecision();
        const ways = ["approved", "rejected", "approved"] as const;
        const answers = await Promise.all(
          ways.map((approved) =>
            validateAction(test.context, { ...asked, approved }).then(
              () => approved,
              (error: unknown) => {
                if (!(error instanceof ParleyError)) throw error;
                return error.status;
              },
            ),
          ),
        );
        const winners = new Set(answers.filter((answer) => typeof answer === "string"));
        expect(answers.filter((answer) => typeof answer === "number" && answer !== 400)).toEqual(
          [],
        );
        expect(winners.size).toBe(1);
        const [winner = ""] = winners;
        expect(await readInvocations()).toHaveLength(winner === "approved" ? 1 : 0);
        await clearRuns(test.core);
      }
    },
  );

  it("are repeated with the same parameters only, and say who decided", async () => {
    const proposed = await waitForDecision();
    const decide = (params?: Record<string, unknown>) =>
      validateAction(test.context, {
        ...proposed,
        approved: "approved",
        ...(params && { params }),
      });
    await decide({ amount: 7, to: { a: 1, b: 2 } });
    expect(await decide({ to: { b: 2, a: 1 }, amount: 7 })).toEqual({ success: true });
    const by = `already approved, by ${test.context.caller.user.fullName} at \\d{4}-\\d\\d-\\d\\dT`;
    const other = new RegExp(`${by}[\\d:.]+Z, with other parameters$`);
    for (const params of [undefined, {}, { amount: 8, to: { a: 1, b: 2 } }]) {
      const refusal = { status: 400, message: expect.stringMatching(other) as string };
      await expect(decide(params)).rejects.toMatchObject(refusal);
    }
    const rejected = validateAction(test.context, { ...proposed, approved: "rejected" });
    await expect(rejected).rejects.toThrow(new RegExp(by));
    const [invocation] = await readInvocations();
    expect(invocation?.input).toMatch(/"amount":7/);
  });

  it("without parameters are those for the proposed ones", async () => {
    const proposed = await waitForDecision();
    const approval = { ...proposed, approved: "approved" } as const;
    await validateAction(test.context, approval);
    expect(await validateAction(test.context, approval)).toEqual({ success: true });
    expect(await validateAction(test.context, { ...approval, params: {} })).toEqual({
      success: true,
    });
    const other = validateAction(test.context, { ...approval, params: { amount: 1 } });
    await expect(other).rejects.toThrow("with other parameters");
  });

  it("are worth nothing once the conversation is deleted, and so is what they began", async () => {
    const asked = await waitForDecision();
    await validateAction(test.context, { ...asked, approved: "approved" });
    const call = await claim();
    const loaded = await loadInvocation(test.core, call);
    await deleteConversation(test.context, { cId: asked.cId });
    const again = validateAction(test.context, { ...asked, approved: "approved" });
    await expect(again).rejects.toMatchObject({ type: "conversation_not_found" });
    // The worker knows nothing of it yet: what it writes comes too late.
    const outcome = { status: "succeeded", result: 1 } as const;
    await finishInvocations(test.core, [{ ...loaded, run: call, outcome, events: [] }]);
    const [invocation] = await readInvocations();
    expect(invocation).toMatchObject({ status: "errored", error: { code: "cancelled" } });
    const types = (await readTestLog(test.core, call.logId)).map(({ type }) => type);
    expect(types).toEqual([
      "sandbox_function_invocation_created",
      "sandbox_function_invocation_error",
    ]);
    const { db } = test.core.database;
    const left = await db.select().from(runs);
    expect(left.filter(({ status }) => status !== "finished")).toEqual([]);
    const open = (await db.select().from(logs)).filter(({ closedAt }) => closedAt === null);
    expect(open).toEqual([]);
  });
});
