import { messages } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import {
  answerTestTurns,
  claimTestTurns,
  clearRuns,
  createTestConversation,
  drivers,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  openTestCore,
  postTestMessage,
  type TestCore,
} from "../testing.ts";

for (const { driver, skip, suite } of drivers) {
  describe.skipIf(skip)(`the history of a turn ${suite}`, () => {
    let test: TestCore;
    let context: Context;
    beforeAll(async () => {
      test = await openTestCore(driver);
      const workspace = await insertTestWorkspace(test.core);
      context = await openTestContext(test.core, workspace);
      for (const sid of ["ann", "bob"]) await insertTestAgent(test.core, workspace, { sid });
    });
    beforeEach(() => clearRuns(test.core));
    afterAll(() => test.close());

    const historyOf = async (): Promise<string[]> => {
      const [claimed] = await claimTestTurns(test.core);
      return claimed!.turn.history.map(({ content }) => content);
    };

    it("holds the answers to earlier messages, and none to its own", async () => {
      await createTestConversation(context, ["ann", "bob"]);
      const [first, second] = await claimTestTurns(test.core);
      expect(first?.turn.history.map(({ content }) => content)).toEqual(["Hello"]);
      expect(second?.turn.history.map(({ content }) => content)).toEqual(["Hello"]);
      await clearRuns(test.core);
      const asked = await createTestConversation(context, ["ann"]);
      await answerTestTurns(test.core, "Done");
      await postTestMessage(context, asked.conversation.sId, { agentIds: ["ann", "bob"] });
      await answerTestTurns(test.core, "Again");
      await postTestMessage(context, asked.conversation.sId, { agentIds: ["bob"] });
      expect(await historyOf()).toEqual(["Hello", "Done", "And?", "Again", "Again", "And?"]);
    });

    it("is bounded in what it holds, from the newest on, which is always there", async () => {
      const { conversation } = await createTestConversation(context, []);
      for (let count = 0; count < 3; count++) await postTestMessage(context, conversation.sId);
      await postTestMessage(context, conversation.sId, { agentIds: ["ann"] });
      const grow = (rank: number, mebibytes: number) =>
        test.core.database.db
          .update(messages)
          .set({ content: sql`repeat('x', ${mebibytes} * 1024 * 1024)` })
          .where(and(eq(messages.type, "user_message"), eq(messages.rank, rank)));
      await grow(1, 5);
      await grow(2, 4);
      const [claimed] = await claimTestTurns(test.core, -1);
      expect(claimed!.turn.history.map(({ rank }) => rank)).toEqual([2, 3, 4]);
    });
  });
}
