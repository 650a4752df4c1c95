import { endpoints, type InputOf, parseInput, PostedMessage } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  openTestContext,
  postTestMessage,
  readTestLog,
} from "../../testing/testing.ts";
import { getConversation } from "./conversation-content.ts";
import { editMessage } from "./edit-message.ts";
import { retryMessage } from "./post-messages.ts";
import { replayEdit } from "./replays.ts";

type Body = Partial<InputOf<(typeof endpoints)["messages.edit"]>> & { agentIds?: string[] };

describe("editMessage", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob", "cid"] });

  const edit = async (
    { cId, mId }: { cId: string; mId: string },
    { agentIds = ["ann"], ...body }: Body = {},
    by = test.context,
  ) => {
    const mentions = agentIds.map((configurationId) => ({ configurationId }));
    const raw = { wId: test.workspaceId, cId, mId, content: "Edited", mentions, ...body };
    return editMessage(by, parseInput(endpoints["messages.edit"], raw));
  };
  const ask = async (agentIds = ["ann"], body = {}) => {
    const { conversation, message } = await createTestConversation(test.context, agentIds, body);
    await answerTestTurns(test.core, "first");
    return { cId: conversation.sId, mId: message.sId };
  };
  const contentOf = async (cId: string) =>
    (await getConversation(test.context, { cId })).conversation.content;
  const historyOf = async () =>
    new Map(
      (await claimTestTurns(test.core)).map(({ turn }) => [
        turn.agent.sid,
        turn.history.map(({ content }) => content),
      ]),
    );

  it("is a new version of the message, which its agents answer at their positions", async () => {
    const asked = await ask(["ann", "bob"]);
    const edited = await edit(asked, { agentIds: ["bob", "ann"] });
    expect(PostedMessage.parse(edited)).toEqual(edited);
    const { sId } = edited.message;
    expect(edited).toMatchObject({
      message: { version: 1, content: "Edited", context: { username: "API User" } },
      agentMessages: [
        { version: 1, status: "created", parentMessageId: sId, configuration: { sId: "bob" } },
        { version: 1, status: "created", parentMessageId: sId, configuration: { sId: "ann" } },
      ],
    });
    expect(await historyOf()).toEqual(
      new Map([
        ["ann", ["Edited"]],
        ["bob", ["Edited"]],
      ]),
    );
    const content = await contentOf(asked.cId);
    expect(content.map((versions) => versions.map(({ version }) => version))).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    expect((await readTestLog(test.core, asked.cId)).slice(-3)).toMatchObject([
      { type: "user_message_new", messageId: sId, message: { rank: 0, version: 1 } },
      { type: "agent_message_new", message: { rank: 2, version: 1 } },
      { type: "agent_message_new", message: { rank: 1, version: 1 } },
    ]);
  });

  it("hides the answers of agents that it no longer asks, and agents do not read them", async () => {
    const asked = await ask(["ann", "bob"]);
    await edit(asked);
    await answerTestTurns(test.core, "second");
    const left = await contentOf(asked.cId);
    expect(left[2]).toMatchObject([{ visibility: "deleted", content: "first" }]);
    expect(left[1]).toMatchObject([{ visibility: "visible" }, { visibility: "visible" }]);
    const mId = left[2]![0]!.sId;
    expect(await refusalOf(retryMessage(test.context, { cId: asked.cId, mId }))).toBe(
      "400 invalid_request_error",
    );
    await postTestMessage(test.context, asked.cId, { agentIds: ["cid"] });
    expect((await historyOf()).get("cid")).toEqual(["Edited", "second", "And?"]);
  });

  it("has agents that it asks again answer at the end, from what stands up to the message", async () => {
    const asked = await ask();
    await postTestMessage(test.context, asked.cId);
    const { agentMessages } = await edit(asked, { agentIds: ["cid", "ann"] });
    expect(agentMessages.map(({ version }) => version)).toEqual([0, 1]);
    const content = await contentOf(asked.cId);
    expect(content.map((versions) => versions.at(-1)!.sId).indexOf(agentMessages[0]!.sId)).toBe(3);
    expect(await historyOf()).toEqual(
      new Map([
        ["ann", ["Edited"]],
        ["cid", ["Edited"]],
      ]),
    );
  });

  it("asks an agent again that an edit before did not ask", async () => {
    const asked = await ask();
    await edit(asked, { agentIds: [] });
    expect((await contentOf(asked.cId))[1]).toMatchObject([{ visibility: "deleted" }]);
    const { message, agentMessages } = await edit(asked);
    expect(message.version).toBe(2);
    expect(agentMessages).toMatchObject([{ version: 1, visibility: "visible" }]);
  });

  it("keeps the model that the message asked for, and warns as a post does", async () => {
    const modelSelection = { providerId: "noop", modelId: "noop" };
    const message = { content: "x", mentions: [{ configurationId: "ann" }], modelSelection };
    const asked = await ask([], { message });
    const { warnings } = await edit(asked, { agentIds: ["ann", "nobody"] });
    expect(warnings).toMatchObject([{ path: "mentions[1].configurationId" }]);
    const [claimed] = await claimTestTurns(test.core);
    expect(claimed?.turn.message.modelSelection).toEqual(modelSelection);
  });

  it("refuses what is not a user's message, what is unknown, and while an answer runs", async () => {
    const asked = await ask();
    const answer = (await contentOf(asked.cId))[1]![0]!.sId;
    expect(await refusalOf(edit({ ...asked, mId: answer }))).toBe("400 invalid_request_error");
    expect(await refusalOf(edit({ ...asked, mId: "nothing" }))).toBe("404 message_not_found");
    await edit(asked);
    expect(await refusalOf(edit(asked))).toBe("400 invalid_request_error");
    expect((await contentOf(asked.cId))[0]).toHaveLength(2);
  });

  it("is for the author, and for the key of the conversation if that wrote in a member's name", async () => {
    const operator = openTestOperator(test.core);
    const email = "ada@example.com";
    await operator.addMember({ wId: test.workspaceId, email, firstName: "Ada" });
    const admin = await openTestContext(test.core, test.workspace, "admin");
    const context1 = { username: "ada", timezone: "UTC", email };
    const byMember = await ask([], { message: { content: "x", mentions: [], context: context1 } });
    const own = await ask();
    for (const asked of [byMember, own]) {
      expect(await refusalOf(edit(asked, {}, admin))).toBe("403 app_auth_error");
    }
    expect((await edit(byMember)).message).toMatchObject({ user: { email }, version: 1 });
    const { message } = await postTestMessage(admin, own.cId);
    const ofAdmin = { cId: own.cId, mId: message.sId };
    expect(await refusalOf(edit(ofAdmin))).toBe("403 app_auth_error");
    expect((await edit(ofAdmin, {}, admin)).message.version).toBe(1);
  });

  it("makes one version of edits that come at once", async () => {
    const asked = await ask();
    const outcomes = await Promise.all([1, 2, 3].map(async () => refusalOf(edit(asked))));
    expect(outcomes.toSorted()).toEqual([
      "400 invalid_request_error",
      "400 invalid_request_error",
      "accepted",
    ]);
  });

  it("is replayed with its own answers, not with those of a retry", async () => {
    const asked = await ask(["ann", "bob"]);
    await postTestMessage(test.context, asked.cId);
    const edited = await edit(asked, { agentIds: ["cid", "ann"] });
    await answerTestTurns(test.core, "second");
    await retryMessage(test.context, { cId: asked.cId, mId: edited.agentMessages[1]!.sId });
    const replayed = await replayEdit(test.context, asked, String(edited.message.id));
    expect(replayed.message).toEqual(edited.message);
    expect(replayed.agentMessages.map(({ sId, content }) => [sId, content])).toEqual(
      edited.agentMessages.map(({ sId }) => [sId, "second"]),
    );
  });
});
