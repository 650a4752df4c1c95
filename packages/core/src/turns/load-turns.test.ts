import { randomBytes } from "node:crypto";
import { actions, agents, messages, statement } from "@parley/db";
import type { SimulatedScript } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  claimTestTurns,
  clearRuns,
  createTestConversation,
  expireTestLeases,
  insertTestAgent,
  postTestMessage,
} from "../../testing/testing.ts";
import { retryMessage } from "../conversations/post-messages.ts";
import { claimedTurnColumns, loadTurn } from "./load-turns.ts";
import { takeOverRuns } from "../take-over-runs.ts";

describe("the history of a turn", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob", "cat"] });

  const historyOf = async (): Promise<string[]> => {
    const [claimed] = await claimTestTurns(test.core);
    return claimed!.turn.history.map(({ content }) => content);
  };

  it("holds the answers to earlier messages, and none to its own", async () => {
    await createTestConversation(test.context, ["ann", "bob"]);
    const [first, second] = await claimTestTurns(test.core);
    expect(first?.turn.history.map(({ content }) => content)).toEqual(["Hello"]);
    expect(second?.turn.history.map(({ content }) => content)).toEqual(["Hello"]);
    await clearRuns(test.core);
    const asked = await createTestConversation(test.context, ["ann"]);
    await answerTestTurns(test.core, "Done");
    await postTestMessage(test.context, asked.conversation.sId, { agentIds: ["ann", "bob"] });
    await answerTestTurns(test.core, "Again");
    await postTestMessage(test.context, asked.conversation.sId, { agentIds: ["bob"] });
    expect(await historyOf()).toEqual(["Hello", "Done", "And?", "Again", "Again", "And?"]);
  });

  it("holds no more text than the model takes, and of each answer the newest version", async () => {
    const { conversation } = await createTestConversation(test.context, ["ann"]);
    for (let version = 0; version < 3; version++) {
      await answerTestTurns(test.core, `Version ${version}`);
      const mId = (
        await test.core.database.db.select().from(messages).where(eq(messages.rank, 1))
      )[0]!.sid;
      await retryMessage(test.context, { cId: conversation.sId, mId });
    }
    const content = "x".repeat(400 * 1024);
    for (let count = 0; count < 4; count++) {
      await postTestMessage(test.context, conversation.sId, { content });
    }
    await answerTestTurns(test.core, "Last");
    await postTestMessage(test.context, conversation.sId, { agentIds: ["ann"] });
    const [claimed] = await claimTestTurns(test.core);
    // Its model takes 100,000 tokens.
    expect(claimed!.turn.history.map(({ rank }) => rank)).toEqual([4, 5, 6]);
    await test.core.database.db
      .update(messages)
      .set({ content: "Short" })
      .where(sql`rank between 2 and 5`);
    await expireTestLeases(test.core);
    const [again] = await takeOverRuns(test.core, { workerId: "other", leaseMs: 1000, limit: 1 });
    const turn = (await loadTurn(test.core, again!))!;
    expect(turn.history.map((one) => one.content.slice(0, 10))).toEqual([
      "Hello",
      "Last",
      "Short",
      "Short",
      "Short",
      "Short",
      "And?",
    ]);
  });

  it("is bounded in what it holds, from the newest on, which is always there", async () => {
    const { conversation } = await createTestConversation(test.context, []);
    for (let count = 0; count < 3; count++) await postTestMessage(test.context, conversation.sId);
    await postTestMessage(test.context, conversation.sId, { agentIds: ["cat"] });
    const grow = (rank: number, mebibytes: number) =>
      test.core.database.db
        .update(messages)
        .set({ content: sql`repeat('x', ${mebibytes} * 1024 * 1024)` })
        .where(and(eq(messages.type, "user_message"), eq(messages.rank, rank)));
    await grow(1, 5);
    await grow(2, 4);
    // Nothing is known of what its model takes.
    const { db } = test.core.database;
    await db.update(agents).set({ modelId: "unknown" }).where(eq(agents.sid, "cat"));
    const [claimed] = await claimTestTurns(test.core, -1);
    expect(claimed!.turn.history.map(({ rank }) => rank)).toEqual([2, 3, 4]);
  });

  it("comes with a claim only if its messages are small", async () => {
    const content = "x".repeat(100 * 1024);
    await createTestConversation(test.context, ["ann"]);
    const { conversation } = await createTestConversation(test.context, []);
    await postTestMessage(test.context, conversation.sId, { content, agentIds: ["bob"] });
    const [small, large] = await claimTestTurns(test.core);
    expect([small?.run.subject === null, large?.run.subject === null]).toEqual([false, true]);
    expect(large?.turn.history.at(-1)).toMatchObject({ content });
  });

  it("reads the long texts of an agent once, apart from its claims", async () => {
    const instructions = "x".repeat(512 * 1024);
    const script: SimulatedScript = {
      steps: [{ text: randomBytes(4096).toString("hex") }],
      tokenDelayMs: 0,
    };
    await insertTestAgent(test.core, test.workspace, { sid: "dan", instructions, script });
    const { db } = test.core.database;
    const read = vi.spyOn(db, "select");
    for (let round = 0; round < 2; round++) {
      read.mockClear();
      await createTestConversation(test.context, ["dan"]);
      const [claimed] = await claimTestTurns(test.core);
      const brief = { hasLongTexts: true, instructions: null, script: null };
      expect(claimed?.run.subject).toMatchObject({ agent: brief });
      expect(claimed?.turn.agent).toMatchObject({ instructions, script });
      const columns = read.mock.calls.map(([fields]) => Object.keys(fields ?? {}).join(" "));
      expect(columns.filter((one) => one === "instructions script responseFormat")).toHaveLength(
        1 - round,
      );
      await clearRuns(test.core);
    }
    read.mockRestore();
  });

  it("is left out of a claim without a look into the large values of its calls", async () => {
    await createTestConversation(test.context, ["ann"]);
    const [claimed] = await claimTestTurns(test.core);
    const { message } = claimed!.turn;
    const { db } = test.core.database;
    const values = Array.from({ length: 20 }, (_, position) => ({
      sid: `act_large${position}`,
      messageId: message.id,
      step: 0,
      position,
      toolName: "find",
      functionCallName: "find",
      functionCallId: `c${position}`,
      status: "succeeded",
      params: { text: randomBytes(100_000).toString("hex") },
      createdAt: 0,
      updatedAt: 0,
    }));
    await db.insert(actions).values(values);
    const claim = sql`
      explain (analyze, buffers, format json)
      select (${claimedTurnColumns}) from (select ${message.sid}::text as log_id) claimed`;
    const [row] = await statement<{}, { "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
      "explain_claimed_turn",
      claim,
    ).execute(db, {});
    const plan = row!["QUERY PLAN"][0].Plan;
    // To read the values takes more than five hundred.
    expect(plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!).toBeLessThan(100);
  });
});
