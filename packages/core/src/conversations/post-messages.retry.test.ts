import { agents, logs, messages, runs } from "@parley/db";
import { AgentMessage } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  insertTestAgent,
  postTestMessage,
  readTestLog,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { createRowIds } from "../data-access/row-ids.ts";
import { cancelMessages } from "./cancel-messages.ts";
import { getConversation } from "./conversation-content.ts";
import { retryMessage } from "./post-messages.ts";

describe("retryMessage", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob"] });

  const db = () => test.core.database.db;
  const about = (agentId: string) => ({ wId: test.workspaceId, agentId });
  const retry = (cId: string, mId: string) => retryMessage(test.context, { cId, mId });
  const refusal = (cId: string, mId: string) => refusalOf(retry(cId, mId));
  /** A conversation with a waiting answer of the agent. */
  const ask = async (agentId = "ann", body = {}) => {
    const { conversation, message } = await createTestConversation(test.context, [agentId], body);
    return { cId: conversation.sId, mId: conversation.content.at(-1)![0]!.sId, message };
  };
  const contentOf = async (cId: string) =>
    (await getConversation(test.context, { cId })).conversation.content;

  it("makes a new version at the same position, with a log and a run of its own", async () => {
    const { cId, mId, message: asked } = await ask();
    await answerTestTurns(test.core, "first");
    test.clock.now += 1000;
    const { message } = await retry(cId, mId);
    expect(AgentMessage.parse(message)).toEqual(message);
    expect(message).toMatchObject({
      version: 1,
      status: "created",
      content: "",
      created: test.clock.now,
      parentMessageId: asked.sId,
    });
    expect(message.sId).not.toBe(mId);
    expect(await readTestLog(test.core, message.sId)).toEqual([]);
    expect(await db().select().from(runs).where(eq(runs.logId, message.sId))).toMatchObject([
      { status: "waiting", attempt: 0, subjectId: message.id },
    ]);

    await answerTestTurns(test.core, "second");
    expect((await contentOf(cId))[1]).toMatchObject([
      { sId: mId, version: 0, content: "first", status: "succeeded" },
      { sId: message.sId, version: 1, content: "second", status: "succeeded" },
    ]);
    const logOf = async (sid: string) =>
      (await readTestLog(test.core, sid)).map((event) => event.type);
    for (const sid of [mId, message.sId]) {
      expect(await logOf(sid)).toEqual(["generation_tokens", "agent_message_success"]);
    }
  });

  it("announces the new version in the conversation, at its position", async () => {
    const { cId, mId } = await ask();
    await answerTestTurns(test.core);
    const { message } = await retry(cId, mId);
    await answerTestTurns(test.core);
    expect((await readTestLog(test.core, cId)).slice(2)).toMatchObject([
      { type: "agent_message_done", messageId: mId },
      {
        type: "agent_message_new",
        messageId: message.sId,
        configurationId: "ann",
        message: { rank: 1, version: 1 },
      },
      { type: "agent_message_done", messageId: message.sId, status: "success" },
    ]);
  });

  it("answers from what came before its position, in the current versions", async () => {
    const { cId, mId } = await ask();
    await answerTestTurns(test.core, "first");
    await retry(cId, mId);
    await answerTestTurns(test.core, "second");
    const { agentMessages } = await postTestMessage(test.context, cId, { agentIds: ["bob"] });
    await answerTestTurns(test.core, "of bob");
    const { message } = await retry(cId, agentMessages[0]!.sId);
    const third = await retry(cId, mId);
    const turns = await claimTestTurns(test.core);
    const histories = new Map(
      turns.map(({ turn }) => [turn.message.sid, turn.history.map((one) => one.content)]),
    );
    expect(histories.get(third.message.sId)).toEqual(["Hello"]);
    expect(histories.get(message.sId)?.toSpliced(1, 1)).toEqual(["Hello", "And?"]);
  });

  it("counts on from the newest version, whichever is asked for", async () => {
    const { cId, mId } = await ask();
    for (const version of [1, 2, 3]) {
      await answerTestTurns(test.core);
      expect(await retry(cId, mId)).toMatchObject({ message: { version } });
    }
    expect(await refusal(cId, mId)).toBe("400 invalid_request_error");
    const versions = (await contentOf(cId))[1]!.map((message) => message.version);
    expect(versions).toEqual([0, 1, 2, 3]);
  });

  it("retries what was cancelled", async () => {
    const { cId, mId } = await ask();
    await cancelMessages(test.context, { cId, messageIds: [mId] });
    await retry(cId, mId);
    await answerTestTurns(test.core, "again");
    expect((await contentOf(cId))[1]).toMatchObject([
      { status: "cancelled" },
      { status: "succeeded", content: "again" },
    ]);
  });

  it("makes one version of requests that come at once", async () => {
    const { cId, mId } = await ask();
    await answerTestTurns(test.core);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => refusal(cId, mId)));
    expect(outcomes.toSorted()).toEqual([
      ...Array.from({ length: 7 }, () => "400 invalid_request_error"),
      "accepted",
    ]);
    expect(await db().$count(runs)).toBe(2);
  });

  it("refuses what is not an answer that has ended, and leaves no trace", async () => {
    const { cId, mId, message } = await ask();
    const other = await ask("bob");
    const before = [await db().$count(messages), await db().$count(logs)];
    expect(await refusal(cId, mId)).toBe("400 invalid_request_error");
    await claimTestTurns(test.core);
    expect(await refusal(cId, mId)).toBe("400 invalid_request_error");
    expect(await refusal(cId, message.sId)).toBe("400 invalid_request_error");
    expect(await refusal(cId, "unknown")).toBe("404 message_not_found");
    expect(await refusal(cId, other.mId)).toBe("404 message_not_found");
    expect(await refusal("unknown", mId)).toBe("404 conversation_not_found");
    expect([await db().$count(messages), await db().$count(logs)]).toEqual(before);
  });

  it("refuses an agent that was archived, and a model that was disabled", async () => {
    await insertTestAgent(test.core, test.workspace, { sid: "eve" });
    const archived = await ask("eve");
    await insertTestAgent(test.core, test.workspace, { sid: "max" });
    const disabled = await ask("max");
    await answerTestTurns(test.core);
    await openTestOperator(test.core).archiveAgent(about("eve"));
    await db().update(agents).set({ providerId: "openai" }).where(eq(agents.sid, "max"));
    expect(await refusal(archived.cId, archived.mId)).toBe("400 invalid_request_error");
    expect(await refusal(disabled.cId, disabled.mId)).toBe("400 model_disabled");
  });

  it("asks the agent as it now is, with the model that was selected", async () => {
    const modelSelection = { providerId: "noop", modelId: "noop" };
    await insertTestAgent(test.core, test.workspace, { sid: "ida" });
    const mentions = [{ configurationId: "ida" }];
    const message = { content: "Hello", mentions, modelSelection };
    const { cId, mId } = await ask("ida", { message, skipToolsValidation: true });
    await answerTestTurns(test.core);
    await openTestOperator(test.core).updateAgent({ ...about("ida"), name: "Ida II" });
    await retry(cId, mId);
    const [turn] = await answerTestTurns(test.core);
    expect(turn?.agent).toMatchObject({ name: "Ida II", version: 1 });
    expect(turn?.message).toMatchObject({ modelSelection, skipToolsValidation: true });
    expect((await contentOf(cId))[1]).toMatchObject([
      { configuration: { name: "ida", version: 0 } },
      { configuration: { name: "Ida II", version: 1 } },
    ]);
  });

  it("retries in a process that has to ask the database for more row numbers", async () => {
    const { cId, mId } = await ask();
    await answerTestTurns(test.core);
    const restarted = Object.assign(Object.create(test.context) as CoreContext, {
      takeRowIds: createRowIds(db()),
    });
    expect(await retryMessage(restarted, { cId, mId })).toMatchObject({
      message: { version: 1 },
    });
  });
});
