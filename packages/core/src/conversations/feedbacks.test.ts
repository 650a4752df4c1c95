import { feedbacks } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { deleteConversation } from "./conversations.ts";
import {
  getFeedback,
  giveFeedback,
  listFeedback,
  listOwnFeedback,
  withdrawFeedback,
} from "./feedbacks.ts";

describe("feedback", () => {
  const test = workspaceTest({ agents: ["ann", "bob"] });
  let builder: CoreContext;
  beforeEach(async () => {
    builder = await openTestContext(test.core, test.workspace, "builder");
  });

  const ask = async (agentId = "ann", body = {}, by = test.context) => {
    const { conversation, message } = await createTestConversation(by, [agentId], body);
    await answerTestTurns(test.core);
    return {
      cId: conversation.sId,
      mId: conversation.content[1]![0]!.sId,
      asked: message.sId,
    };
  };
  const give = (
    named: { cId: string; mId: string },
    thumbDirection: "up" | "down" = "up",
    more: object = {},
    by = test.context,
  ) => {
    const { cId, mId } = named;
    const raw = { wId: test.workspaceId, cId, mId, thumbDirection, ...more };
    return giveFeedback(by, parseInput(endpoints["feedbacks.give"], raw));
  };
  const own = async (cId: string, query: object = {}, by = test.context) => {
    const raw = { wId: test.workspaceId, cId, ...query };
    return listOwnFeedback(by, parseInput(endpoints["feedbacks.listOwn"], raw));
  };
  const all = async (query: object = {}, by = test.operator.context) =>
    listFeedback(by, parseInput(endpoints["feedbacks.list"], { wId: test.workspaceId, ...query }));

  it("is one for each user and message: a later one takes its place", async () => {
    const answer = await ask();
    await give(answer, "down", { feedbackContent: "Too long" });
    test.clock.now += 1000;
    expect(await give(answer, "up", { isConversationShared: true })).toEqual({ success: true });
    await give(answer, "down", {}, builder);
    const expected = {
      messageId: answer.mId,
      userId: test.context.caller.user.id,
      thumbDirection: "up",
      content: null,
      createdAt: test.clock.now,
      agentConfigurationId: "ann",
      agentConfigurationVersion: 0,
      isConversationShared: true,
    };
    const listed = await own(answer.cId);
    expect(listed).toMatchObject({ feedbacks: [expected], hasMore: false });
    expect(await getFeedback(test.context, answer)).toEqual({ feedbacks: listed.feedbacks });
    expect(await own(answer.cId, {}, builder)).toMatchObject({
      feedbacks: [{ thumbDirection: "down", userId: builder.caller.user.id }],
    });
  });

  it("is withdrawn by its user alone, again without harm", async () => {
    const answer = await ask();
    await give(answer);
    await give(answer, "down", {}, builder);
    for (let time = 0; time < 2; time++) {
      expect(await withdrawFeedback(test.context, answer)).toEqual({ success: true });
    }
    expect((await own(answer.cId)).feedbacks).toEqual([]);
    expect((await own(answer.cId, {}, builder)).feedbacks).toHaveLength(1);
  });

  it("is on answers of conversations that the caller reaches", async () => {
    const answer = await ask();
    const stranger = await openTestContext(test.core, test.workspace);
    const { cId, mId, asked } = answer;
    const attempts = (named: { cId: string; mId: string }, by = test.context) => [
      () => give(named, "up", {}, by),
      () => getFeedback(by, named),
      () => withdrawFeedback(by, named),
    ];
    for (const attempt of attempts({ cId, mId }, stranger)) {
      expect(await refusalOf(attempt())).toBe("404 conversation_not_found");
    }
    for (const attempt of attempts({ cId, mId: "nothing" })) {
      expect(await refusalOf(attempt())).toBe("404 message_not_found");
    }
    for (const attempt of attempts({ cId, mId: asked })) {
      expect(await refusalOf(attempt())).toBe("400 invalid_request_error");
    }
    expect(await refusalOf(own(cId, {}, stranger))).toBe("404 conversation_not_found");
  });

  it("goes with its conversation", async () => {
    const answer = await ask();
    await give(answer);
    await deleteConversation(test.context, answer);
    const ofAnswer = eq(feedbacks.messageId, answer.mId);
    expect(await test.core.database.db.$count(feedbacks, ofAnswer)).toBe(0);
  });

  it("is listed for those who evaluate agents, by agent, direction and time", async () => {
    const ofAnn = await ask("ann");
    const ofBob = await ask("bob");
    await give(ofAnn, "up");
    await give(ofAnn, "down", {}, builder);
    test.clock.now += 1000;
    await give(ofBob, "down");
    const sids = async (query: object) =>
      (await all(query)).feedbacks.map((one) => [one.conversationId, one.thumbDirection]);
    expect(await sids({})).toHaveLength(3);
    expect(await sids({ agentId: "bob" })).toEqual([[ofBob.cId, "down"]]);
    expect(await sids({ thumbDirection: "up" })).toEqual([[ofAnn.cId, "up"]]);
    expect(await sids({ since: test.clock.now })).toEqual([[ofBob.cId, "down"]]);
    const first = await all({ limit: 2 });
    expect(first).toMatchObject({ hasMore: true });
    const rest = await all({ limit: 2, lastValue: first.lastValue });
    expect(rest.feedbacks).toMatchObject([{ user: { id: test.context.caller.user.id } }]);
    expect(await sids({ conversationId: ofAnn.cId })).toEqual([
      [ofAnn.cId, "up"],
      [ofAnn.cId, "down"],
    ]);
    const newest = await all({ order: "newest", limit: 2 });
    const oldest = await all({ order: "newest", limit: 2, lastValue: newest.lastValue });
    const given = [...newest.feedbacks, ...oldest.feedbacks].map((one) => one.thumbDirection);
    expect(given).toEqual(["down", "down", "up"]);
    const other = await insertTestWorkspace(test.core);
    expect((await all({ wId: other.sid })).feedbacks).toEqual([]);
  });

  it("is not listed from a space that the caller does not reach", async () => {
    const keyIds = [test.context.caller.apiKey.sid];
    const space = { wId: test.workspaceId, name: "S", isRestricted: true, keyIds };
    const { sId: spaceId } = (await test.operator.createSpace(space)).space;
    await give(await ask("ann", { spaceId }));
    expect((await all()).feedbacks).toHaveLength(1);
    expect((await all({}, builder)).feedbacks).toEqual([]);
  });
});
