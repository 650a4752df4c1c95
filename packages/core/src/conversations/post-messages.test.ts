import { conversations, logs, messages, runs, spaces } from "@parley/db";
import { PostedMessage } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
  readTestLog,
  testOutcome,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { createRowIds } from "../data-access/row-ids.ts";
import { finishTurns } from "../turns/finish-turns.ts";

describe("postMessage", () => {
  const test = workspaceTest({
    parts: { safetyPollMs: 60_000 },
    per: "suite",
    agents: ["ann", "bob"],
  });
  let foreign: CoreContext;
  beforeAll(async () => {
    foreign = await openTestContext(test.core, await insertTestWorkspace(test.core));
    await insertTestAgent(test.core, test.workspace, { sid: "old", status: "archived" });
  });

  const db = () => test.core.database.db;
  const ask = async (...agentIds: string[]) =>
    (await createTestConversation(test.context, agentIds)).conversation.sId;
  const ranks = async () => {
    const rows = await db().select().from(messages).orderBy(messages.rank, messages.version);
    return rows.map((row) => [row.rank, row.version, row.sid]);
  };
  const answer = (content: string) => answerTestTurns(test.core, content);

  it("puts the message after all others, and the answers after it", async () => {
    const cId = await ask("ann");
    const posted = await postTestMessage(test.context, cId, { agentIds: ["bob", "ann", "bob"] });
    expect(PostedMessage.parse(posted)).toEqual(posted);
    expect(posted.warnings).toBeUndefined();
    expect(posted.agentMessages).toMatchObject([
      { configuration: { sId: "bob" }, status: "created", parentMessageId: posted.message.sId },
      { configuration: { sId: "ann" }, status: "created", content: "" },
    ]);
    const sids = [posted.message, ...posted.agentMessages].map(({ sId }) => sId);
    expect((await ranks()).slice(2)).toEqual(sids.map((sid, index) => [index + 2, 0, sid]));
    expect(await db().$count(runs)).toBe(3);
    expect(await db().$count(logs)).toBe(4);
  });

  it("announces the message and the answers after earlier events, with positions", async () => {
    const cId = await ask("ann");
    const posted = await postTestMessage(test.context, cId, { agentIds: ["bob", "ann"] });
    const [bob, ann] = posted.agentMessages;
    expect((await readTestLog(test.core, cId)).slice(2)).toMatchObject([
      { type: "user_message_new", messageId: posted.message.sId, message: { rank: 2 } },
      { type: "agent_message_new", messageId: bob!.sId, message: { rank: 3 } },
      {
        type: "agent_message_new",
        messageId: ann!.sId,
        configurationId: "ann",
        message: { rank: 4, configuration: { sId: "ann" }, status: "created" },
      },
    ]);
  });

  it("is answered after the agent's turn that runs, with its answer in the history", async () => {
    const cId = await ask("ann");
    const [running] = await claimTestTurns(test.core);
    const posted = await postTestMessage(test.context, cId, { agentIds: ["ann", "bob"] });
    const meanwhile = await claimTestTurns(test.core);
    expect(meanwhile.map(({ turn }) => turn.agent.sid)).toEqual(["bob"]);
    const outcome = testOutcome("first answer");
    await finishTurns(test.core, [{ ...running!, outcome, events: [], actions: [] }]);
    const [later] = await answer("second answer");
    expect(later?.message.sid).toBe(posted.agentMessages[0]?.sId);
    expect(later?.history.map((message) => message.content)).toEqual([
      "Hello",
      "first answer",
      "And?",
    ]);
  });

  it("keeps the order of messages for one agent, however many wait", async () => {
    const cId = await ask("ann");
    const waiting = [];
    for (let index = 0; index < 3; index++) {
      const posted = await postTestMessage(test.context, cId, { agentIds: ["ann"] });
      waiting.push(posted.agentMessages[0]!.sId);
    }
    await answer("0");
    const order = [];
    for (let index = 0; index < 3; index++) {
      order.push(...(await answer(String(index))).map((turn) => turn.message.sid));
    }
    expect(order).toEqual(waiting);
  });

  it("warns of mentions that resolve to nobody, under the path they have in this body", async () => {
    const cId = await ask();
    const posted = await postTestMessage(test.context, cId, { agentIds: ["ann", "old", "who"] });
    expect(posted.agentMessages).toHaveLength(1);
    expect(posted.warnings?.map((warning) => warning.path)).toEqual([
      "mentions[1].configurationId",
      "mentions[2].configurationId",
    ]);
  });

  it("answers a blocking request with what the agents said, in the order of the mentions", async () => {
    const cId = await ask();
    const unsubscribe = test.core.bus.subscribe("runs", () => {
      unsubscribe();
      void answer("Done");
    });
    const agentIds = ["bob", "ann"];
    const posted = await postTestMessage(test.context, cId, { agentIds, blocking: true });
    expect(posted.agentMessages).toMatchObject([
      { configuration: { sId: "bob" }, status: "succeeded", content: "Done" },
      { configuration: { sId: "ann" }, status: "succeeded", content: "Done" },
    ]);
  });

  it("answers a blocking request for nobody at once", async () => {
    const cId = await ask();
    expect(await postTestMessage(test.context, cId, { blocking: true })).toMatchObject({
      agentMessages: [],
    });
  });

  it("marks the conversation as changed, and as read by its author", async () => {
    const cId = await ask();
    test.clock.now += 1000;
    await postTestMessage(test.context, cId);
    const now = test.clock.now;
    expect(await db().select().from(conversations)).toMatchObject([
      { updatedAt: now, readAt: now },
    ]);
  });

  it("takes an unknown, a foreign and a closed space's conversation for the same", async () => {
    const cId = await ask("ann");
    const values = { name: "S", kind: "regular", isRestricted: true, createdAt: 0, updatedAt: 0 };
    const [space] = await db()
      .insert(spaces)
      .values({ ...values, sid: "vlt_closed", workspaceId: test.workspace.id })
      .returning();
    const closed = await ask("ann");
    await db()
      .update(conversations)
      .set({ spaceId: space!.id })
      .where(eq(conversations.sid, closed));
    const before = await ranks();
    const refusals = await Promise.all(
      [
        postTestMessage(test.context, "unknown"),
        postTestMessage(foreign, cId, { agentIds: ["ann"] }),
        postTestMessage(test.context, closed, { agentIds: ["ann"] }),
      ].map((refused) =>
        refused.then(String, ({ type, status, message }) => ({ type, status, message })),
      ),
    );
    expect(refusals[0]).toMatchObject({ type: "conversation_not_found", status: 404 });
    expect(refusals).toEqual([refusals[0], refusals[0], refusals[0]]);
    expect(await ranks()).toEqual(before);
  });

  it("refuses a model that is not enabled, and leaves no trace", async () => {
    const cId = await ask("ann");
    const modelSelection = { providerId: "openai", modelId: "gpt-5" };
    const before = [await ranks(), await readTestLog(test.core, cId)];
    await expect(postTestMessage(test.context, cId, { modelSelection })).rejects.toMatchObject({
      type: "model_disabled",
    });
    expect([await ranks(), await readTestLog(test.core, cId)]).toEqual(before);
  });

  it("posts in a process that has to ask the database for more row numbers", async () => {
    const cId = await ask("ann");
    const fresh = { takeRowIds: createRowIds(db()) };
    const restarted = Object.assign(Object.create(test.context) as CoreContext, fresh);
    const posted = await postTestMessage(restarted, cId, { agentIds: ["ann"] });
    expect(posted.agentMessages).toHaveLength(1);
  });

  it("gives 16 messages that come at once positions and event numbers without gaps", async () => {
    const cId = await ask("ann");
    const agentIds = ["ann", "bob"];
    const posted = await Promise.all(
      Array.from({ length: 16 }, () => postTestMessage(test.context, cId, { agentIds })),
    );
    const rows = await ranks();
    expect(rows.map(([rank]) => rank)).toEqual(Array.from({ length: 50 }, (_, rank) => rank));
    const events = await readTestLog(test.core, cId);
    expect(events).toHaveLength(2 + 16 * 3);
    const announced = events.map((event) => "messageId" in event && event.messageId);
    expect(announced).toEqual(rows.map(([, , sid]) => sid));
    const position = new Map(rows.map(([rank, , sid]) => [sid, Number(rank)]));
    for (const { message, agentMessages } of posted) {
      const first = position.get(message.sId)!;
      expect(agentMessages.map(({ sId }) => position.get(sId))).toEqual([first + 1, first + 2]);
    }
  });
});
