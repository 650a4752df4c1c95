import { messages } from "@parley/db";
import { PostMessage } from "@parley/schema";
import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { countTestRows, refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  postTestMessage,
  testOutcome,
} from "../../testing/testing.ts";
import type { Hint } from "../log/bus.ts";
import { followLog } from "../log/follow.ts";
import { finishTurns } from "../turns/finish-turns.ts";
import { saveStep } from "../turns/save-step.ts";
import { getConversation } from "./conversation-content.ts";
import { deleteConversation } from "./conversations.ts";
import { postMessage, retryMessage } from "./post-messages.ts";

describe("deleteConversation", () => {
  const test = workspaceTest({
    parts: { safetyPollMs: 60_000 },
    per: "suite",
    agents: ["ann", "bob"],
  });

  const ask = async (...agentIds: string[]) => {
    const { conversation } = await createTestConversation(test.context, agentIds);
    return {
      cId: conversation.sId,
      mIds: conversation.content.slice(1).map((one) => one[0]!.sId),
    };
  };
  const step = { step: 0, events: [], rawContents: [], chainOfThought: null };
  const call = { id: "x", name: "f", params: {}, output: "", isError: false, durationMs: 1 };
  /** A conversation with answers that have ended, run and wait, tool calls and versions. */
  const fill = async () => {
    const { cId, mIds } = await ask("ann");
    const [claimed] = await claimTestTurns(test.core);
    await saveStep(test.core, { ...claimed!, ...step, calls: [call] });
    const outcome = testOutcome("Done");
    await finishTurns(test.core, [{ ...claimed!, outcome, events: [], actions: [] }]);
    await retryMessage(test.context, { cId, mId: mIds[0]! });
    await postTestMessage(test.context, cId, { agentIds: ["ann", "bob"] });
    const running = await claimTestTurns(test.core);
    return { cId, mIds, running };
  };

  it("leaves no row of the conversation, and all rows of the others", async () => {
    const kept = await fill();
    const before = await countTestRows(test.core);
    const read = await getConversation(test.context, { cId: kept.cId });
    const { cId } = await fill();
    expect(await countTestRows(test.core)).not.toEqual(before);
    expect(await deleteConversation(test.context, { cId })).toEqual({ success: true });
    expect(await countTestRows(test.core)).toEqual(before);
    expect(await getConversation(test.context, { cId: kept.cId })).toEqual(read);
    const again = deleteConversation(test.context, { cId });
    expect(await refusalOf(again)).toBe("404 conversation_not_found");
  });

  it("lets the turns that run in it write nothing more, and tells their workers", async () => {
    const { cId, mIds, running } = await fill();
    const hints: Hint[] = [];
    const unsubscribe = test.core.bus.subscribe("runs", (hint) => hints.push(hint));
    await deleteConversation(test.context, { cId });
    unsubscribe();
    const hinted = hints.flatMap((hint) => ("logIds" in hint ? hint.logIds : []));
    expect(hinted).toEqual(expect.arrayContaining([cId, ...mIds, running[0]!.run.logId]));
    const before = await countTestRows(test.core);
    const [first] = running;
    const late = saveStep(test.core, { ...first!, ...step, calls: [call] });
    await expect(late).rejects.toThrow("no longer holds");
    const finished = running.map((one) => ({
      ...one,
      outcome: testOutcome("late"),
      events: [],
      actions: [],
    }));
    expect(await finishTurns(test.core, finished)).toEqual(new Set());
    expect(await countTestRows(test.core)).toEqual(before);
    expect(await answerTestTurns(test.core)).toEqual([]);
  });

  it("ends the followers of its logs", async () => {
    const { cId, mIds } = await ask("ann");
    const { signal } = new AbortController();
    const follow = async (logId: string) => {
      const types = [];
      for await (const events of followLog(test.core, { logId, after: 0, signal })) {
        types.push(...events.map((event) => event.type));
      }
      return types;
    };
    const followers = [cId, mIds[0]!].map(follow);
    await deleteConversation(test.context, { cId });
    const [ofConversation] = await Promise.all(followers);
    // One that had not read yet may find nothing.
    expect(ofConversation?.length).toBeOneOf([0, 2]);
  });

  it("waits for nobody, and leaves nothing, when messages come and answers end in the meantime", async () => {
    const before = await countTestRows(test.core);
    for (let round = 0; round < 15; round++) {
      const { cId } = await ask("ann", "bob");
      const claimed = await claimTestTurns(test.core);
      const finished = claimed.map((one) => ({
        ...one,
        outcome: testOutcome("Done"),
        events: [],
        actions: [],
      }));
      const sent = { content: "?", mentions: [{ configurationId: "ann" }] };
      const post = { cId, ...PostMessage.parse(sent) };
      const outcomes = await Promise.all([
        ...Array.from({ length: 4 }, () => refusalOf(postMessage(test.context, post))),
        refusalOf(finishTurns(test.core, finished)),
        refusalOf(saveStep(test.core, { ...claimed[0]!, ...step, calls: [call] })),
        refusalOf(deleteConversation(test.context, { cId })),
      ]);
      expect(outcomes.at(-1)).toBe("accepted");
      for (const outcome of outcomes) {
        expect(outcome).toMatch(/accepted|404 conversation_not_found|LostLease/);
      }
    }
    expect(await countTestRows(test.core)).toEqual(before);
  });

  // A statement has 65,535 parameters at most.
  it("deletes a conversation of 70,000 messages", async () => {
    const { cId } = await ask();
    const before = await countTestRows(test.core);
    await test.core.database.db.execute(sql`
        insert into messages (sid, id, workspace_id, conversation_id, rank, version, type,
          visibility, created_at, content)
        select 'm' || n, 1000000000 + n, workspace_id, conversation_id, n, 0, type, visibility,
          created_at, content
        from ${messages}, generate_series(1, 70000) n`);
    await deleteConversation(test.context, { cId });
    const { messages: left, conversations: none } = await countTestRows(test.core);
    expect([left, none]).toEqual([0, before["conversations"]! - 1]);
  });
});
