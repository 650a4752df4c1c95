import { budgetHolds, budgets, budgetSpending, messages } from "@parley/db";
import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  createTestConversation,
  openTestContext,
  postTestMessage,
} from "../../testing/testing.ts";
import { insertTestBudget } from "../../testing/usage.ts";
import type { CoreContext } from "../create-core.ts";
import { editMessage } from "../conversations/edit-message.ts";
import { retryMessage } from "../conversations/post-messages.ts";

describe("a spent hard budget", () => {
  const test = workspaceTest({ per: "test", agents: ["ann", "bob"] });
  const db = () => test.core.database.db;
  const open = async () => openTestContext(test.core, test.workspace);
  const addBudget = async (changes: Partial<typeof budgets.$inferInsert> = {}) =>
    insertTestBudget(test.core, test.workspace.id, {
      isHard: true,
      limit: 10n,
      period: "all",
      ...changes,
    });
  const spend = async (budgetId: number, subject = "", changes: object = {}) => {
    const row = { budgetId, subject, startsAt: 0, spent: 10n, reserved: 0n, ...changes };
    await db().insert(budgetSpending).values(row);
  };

  it("refuses conversations, messages, edits and retries before anything is written", async () => {
    const { conversation, message } = await createTestConversation(test.context, ["ann"]);
    await answerTestTurns(test.core);
    await spend((await addBudget()).id);
    const caller = { ...test.context.caller, isBudgeted: true };
    const context = Object.assign(Object.create(test.context) as CoreContext, { caller });
    const before = await db().$count(messages);
    const type = "budget_exceeded";
    const cId = conversation.sId;
    const answer = conversation.content.at(-1)![0]!.sId;
    const wId = test.workspaceId;
    const edit = {
      wId,
      cId,
      mId: message.sId,
      content: "x",
      mentions: [{ configurationId: "ann" }],
    };
    const refused = { type, status: 429, retryAfterSeconds: undefined };
    await expect(createTestConversation(context, ["ann"])).rejects.toMatchObject(refused);
    const posting = postTestMessage(context, cId, { agentIds: ["ann"] });
    await expect(posting).rejects.toMatchObject(refused);
    await expect(editMessage(context, edit as never)).rejects.toMatchObject(refused);
    await expect(retryMessage(context, { cId, mId: answer })).rejects.toMatchObject(refused);
    expect(await db().$count(messages)).toBe(before);
    // Nobody is to answer, so nothing is spent.
    await postTestMessage(context, cId, { agentIds: [] });
  });

  it("is named with the end of its period, and no figure", async () => {
    test.clock.now = Date.parse("2026-11-15T12:00:00Z");
    const startsAt = Date.parse("2026-10-31T23:00:00Z");
    const changes = {
      period: "month",
      timezone: "Europe/Berlin",
      limit: 777_000_000_000n,
    } as const;
    await spend((await addBudget(changes)).id, "", { startsAt, spent: 777_000_000_000n });
    const refused = await createTestConversation(await open(), ["ann"]).catch(
      (error: Error) => error,
    );
    const endsAt = Date.parse("2026-11-30T23:00:00Z");
    expect(refused).toMatchObject({
      message:
        "The budget of the workspace is used up until 2026-11-30T23:00:00.000Z: wait until then, or an admin can raise it",
      retryAfterSeconds: (endsAt - test.core.now()) / 1000,
    });
  });

  it.each([
    ["agent", "bob"],
    ["user", "another"],
    ["api_key", "another"],
    ["conversation", "another"],
  ] as const)("of another %s refuses nothing", async (scope, subject) => {
    await spend((await addBudget({ scope, subject })).id, subject);
    const { conversation } = await createTestConversation(await open(), ["ann"]);
    expect(conversation.content).toHaveLength(2);
  });

  it.each([
    ["agent", () => "ann"],
    ["user", (context: Awaited<ReturnType<typeof open>>) => context.caller.user.sid],
    ["api_key", (context: Awaited<ReturnType<typeof open>>) => context.caller.apiKey.sid],
  ] as const)("of each %s refuses that one", async (scope, subjectOf) => {
    const { id } = await addBudget({ scope });
    const context = await open();
    await createTestConversation(context, ["ann"]);
    await spend(id, subjectOf(context));
    const refused = { type: "budget_exceeded" };
    await expect(createTestConversation(context, ["bob", "ann"])).rejects.toMatchObject(refused);
  });

  it("counts what has ended and was not added up yet", async () => {
    const { id } = await addBudget();
    await spend(id, "", { spent: 4n, reserved: 6n });
    const context = await open();
    const hold = { reservationId: test.core.newId(), budgetId: id, subject: "", startsAt: 0 };
    await db()
      .insert(budgetHolds)
      .values({ ...hold, amount: 6n });
    await createTestConversation(context, ["ann"]);
    await db().update(budgetHolds).set({ settled: 6n }).where(eq(budgetHolds.budgetId, id));
    const refused = { type: "budget_exceeded" };
    await expect(createTestConversation(context, ["ann"])).rejects.toMatchObject(refused);
  });

  it("that is soft refuses nothing, and without budgets nothing is read", async () => {
    const find = vi.spyOn(test.core, "findExceededBudget");
    await createTestConversation(test.context, ["ann"]);
    expect(find).not.toHaveBeenCalled();
    await spend((await addBudget({ isHard: false })).id);
    await createTestConversation(await open(), ["ann"]);
    expect(find).toHaveBeenCalledOnce();
    find.mockRestore();
  });
});
