import { conversations, users } from "@parley/db";
import { Conversation, ConversationPage, endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { openTestOperator, refusalOf } from "../../testing/operator.ts";
import {
  answerTestTurns,
  claimTestTurns,
  createTestConversation,
  insertTestWorkspace,
  openTestContext,
  postTestMessage,
  readTestLog,
} from "../../testing/testing.ts";
import type { CoreContext } from "../create-core.ts";
import { saveStep } from "../turns/save-step.ts";
import { cancelMessages } from "./cancel-messages.ts";
import { getConversation } from "./conversation-content.ts";
import { deleteConversation, listConversations, updateConversation } from "./conversations.ts";
import { retryMessage } from "./post-messages.ts";
import { findConversationStream, findMessageStream } from "./streams.ts";

describe("stored conversations", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob"] });
  let colleague: CoreContext;
  let foreign: CoreContext;
  let secretSpace: string;
  beforeAll(async () => {
    colleague = await openTestContext(test.core, test.workspace, "builder");
    foreign = await openTestContext(test.core, await insertTestWorkspace(test.core));
    const { space } = await openTestOperator(test.core).createSpace({
      wId: test.workspaceId,
      name: "Secret",
      isRestricted: true,
      keyIds: [test.context.caller.apiKey.sid],
    });
    secretSpace = space.sId;
  });

  const db = () => test.core.database.db;
  const create = async (agentIds: string[] = [], body = {}) =>
    (await createTestConversation(test.context, agentIds, body)).conversation;
  const get = async (cId: string, by = test.context) =>
    (await getConversation(by, { cId })).conversation;
  const list = (query: object = {}, by = test.context) => {
    const raw = { wId: by.caller.workspace.sid, ...query };
    return listConversations(by, parseInput(endpoints["conversations.list"], raw));
  };
  const idsOf = async (page: ReturnType<typeof list>) =>
    (await page).conversations.map((conversation) => conversation.sId);
  const update = (cId: string, change: object, by = test.context) => {
    const raw = { wId: by.caller.workspace.sid, cId, ...change };
    return updateConversation(by, parseInput(endpoints["conversations.update"], raw));
  };
  /** Everything that names a conversation or a message of it, asked for by `by`. */
  const refusals = async (cId: string, mId: string, by: CoreContext) =>
    Promise.all(
      [
        get(cId, by),
        update(cId, { read: true }, by),
        deleteConversation(by, { cId }),
        postTestMessage(by, cId),
        retryMessage(by, { cId, mId }),
        cancelMessages(by, { cId, messageIds: [mId] }),
        findConversationStream(by, { cId }),
        findMessageStream(by, { cId, mId }),
      ].map(refusalOf),
    );
  const notFound = Array.from({ length: 8 }, () => "404 conversation_not_found");

  it("gives a conversation as it was created, with errors as objects", async () => {
    const contentFragments = [{ title: "F", content: "text", contentType: "text/plain" }];
    const created = await create(["ann", "bob"], { contentFragments, title: "Title" });
    const read = await get(created.sId);
    expect(Conversation.parse(read)).toEqual(read);
    expect(read).toEqual(created);
  });

  it("gives the versions of each position, the current one last, with their tool calls", async () => {
    const { sId, content } = await create(["ann"]);
    const [claimed] = await claimTestTurns(test.core);
    const call = { name: "f", params: { a: 1 }, output: "out", isError: false, durationMs: 1 };
    const calls = [
      { ...call, id: "x" },
      { ...call, id: "y" },
    ];
    const step = {
      ...claimed!,
      step: 0,
      calls,
      events: [],
      rawContents: [],
      chainOfThought: null,
    };
    await saveStep(test.core, step);
    await cancelMessages(test.context, { cId: sId, messageIds: [content[1]![0]!.sId] });
    await retryMessage(test.context, { cId: sId, mId: content[1]![0]!.sId });
    await answerTestTurns(test.core, "second");
    const read = await get(sId);
    expect(Conversation.parse(read)).toEqual(read);
    expect(read.content.map((versions) => versions.length)).toEqual([1, 2]);
    expect(read.content[1]).toMatchObject([
      { version: 0, actions: [{ functionCallId: "x" }, { functionCallId: "y" }] },
      { version: 1, actions: [], content: "second" },
    ]);
  });

  it("names the author of each message, also one who has left", async () => {
    const operator = openTestOperator(test.core);
    const ada = { email: "ada@example.com", firstName: "Ada" };
    const about = { wId: test.workspaceId };
    const { member } = await operator.addMember({ ...about, ...ada });
    const written = { username: "ada", timezone: "UTC", email: ada.email };
    const { sId } = await create([], {
      message: { content: "Hi", mentions: [], context: written },
    });
    await postTestMessage(colleague, sId);
    await operator.removeMember({ ...about, memberId: member.sId });
    const { content } = await get(sId);
    expect(content).toMatchObject([
      [{ user: { sId: member.sId, fullName: "Ada" } }],
      [{ user: { sId: colleague.caller.user.sid } }],
    ]);
    await db().delete(users).where(eq(users.sid, member.sId));
  });

  it("shows a conversation of a restricted space, and its streams, to the keys of the space only", async () => {
    const { sId, content } = await create(["ann"], { spaceId: secretSpace });
    expect((await get(sId)).sId).toBe(sId);
    expect(await idsOf(list())).toEqual([sId]);
    const mId = content[1]![0]!.sId;
    expect(await refusals(sId, mId, colleague)).toEqual(notFound);
    expect(await idsOf(list({}, colleague))).toEqual([]);
    expect((await get(sId)).content).toHaveLength(2);
  });

  it("shows a key of role user what other keys created only if it is in a space", async () => {
    const other = await openTestContext(test.core, test.workspace);
    const own = (await createTestConversation(other, [])).conversation.sId;
    const { sId, content } = await create(["ann"]);
    expect(await refusals(sId, content[1]![0]!.sId, other)).toEqual(notFound);
    expect(await idsOf(list({}, other))).toEqual([own]);
    const { space } = await openTestOperator(test.core).createSpace({
      wId: test.workspaceId,
      name: "Open",
    });
    const shared = (await create([], { spaceId: space.sId })).sId;
    expect((await get(shared, other)).sId).toBe(shared);
    expect(await idsOf(list({}, other))).toEqual([shared, own]);
    expect(await idsOf(list({ limit: 1 }, other))).toEqual([shared]);
    // Builders see all.
    expect(await idsOf(list({}, colleague))).toEqual([shared, sId, own]);
  });

  it("does not know the conversations of another workspace", async () => {
    const { sId, content } = await create(["ann"]);
    expect(await refusals(sId, content[1]![0]!.sId, foreign)).toEqual(notFound);
    expect(await refusals("unknown", "unknown", test.context)).toEqual(notFound);
    expect(await idsOf(list({}, foreign))).toEqual([]);
  });

  it("lists the newest first, in pages that leave nothing out", async () => {
    const made = [];
    for (let index = 0; index < 5; index++) made.push((await create()).sId);
    const expected = made.toReversed();
    const first = await list({ limit: 2 });
    expect(ConversationPage.parse(first)).toEqual(first);
    expect(first.conversations.map(({ sId }) => sId)).toEqual(expected.slice(0, 2));
    expect(first).toMatchObject({ hasMore: true, lastValue: expect.any(String) });
    // What comes in the meantime does not shift the pages.
    await create();
    const second = await list({ limit: 2, lastValue: first.lastValue });
    expect(second.conversations.map(({ sId }) => sId)).toEqual(expected.slice(2, 4));
    const third = await list({ limit: 2, lastValue: second.lastValue });
    expect(third.conversations.map(({ sId }) => sId)).toEqual(expected.slice(4));
    expect(third.hasMore).toBe(false);
    const last = await list({ limit: 2, lastValue: third.lastValue });
    expect(last).toEqual({ conversations: [], hasMore: false, lastValue: null });
    expect(await list({ limit: 6 })).toMatchObject({ hasMore: false });
  });

  it("has something new after an answer, in the conversation and in the list, until it is read", async () => {
    const { sId } = await create(["ann"]);
    await create(["bob"]);
    const unread = async () => {
      const { conversations: listed } = await list();
      const inList = listed.find((one) => one.sId === sId)!;
      const { content: _, ...read } = await get(sId);
      expect(inList).toEqual(read);
      return inList.unread;
    };
    expect(await unread()).toBe(false);
    test.clock.now += 1000;
    await answerTestTurns(test.core);
    expect(await unread()).toBe(true);
    expect((await get(sId)).updated).toBe(test.clock.now);
    test.clock.now += 1000;
    expect(await update(sId, { read: true })).toEqual({ success: true });
    expect(await unread()).toBe(false);
    test.clock.now += 1000;
    await postTestMessage(test.context, sId, { agentIds: ["ann"] });
    expect(await unread()).toBe(false);
    test.clock.now += 1000;
    await cancelMessages(test.context, {
      cId: sId,
      messageIds: (await get(sId)).content.flat().map((message) => message.sId),
    });
    expect(await unread()).toBe(true);
  });

  it("changes the title, and tells the followers", async () => {
    const { sId } = await create();
    const before = await readTestLog(test.core, sId);
    await update(sId, { title: "New" });
    await update(sId, { read: true });
    expect((await get(sId)).title).toBe("New");
    const renamed = { type: "conversation_title", created: test.clock.now, title: "New" };
    expect(await readTestLog(test.core, sId)).toEqual([...before, renamed]);
    const [row] = await db().select().from(conversations);
    expect(row?.readAt).toBe(test.clock.now);
  });

  it("streams a conversation for ever, and each version of an answer to its end", async () => {
    const { sId: cId, content } = await create(["ann"]);
    const mId = content[1]![0]!.sId;
    await answerTestTurns(test.core);
    const { message } = await retryMessage(test.context, { cId, mId });
    const hidden = new Set([
      "agent_message_notes",
      "conversation_compacted",
      "agent_message_fallback",
      "agent_message_budget",
      "tool_output_required",
      "agent_message_citations",
      "agent_task_started",
      "agent_task_call_decided",
    ]);
    const enveloped = { hidden, enveloped: true, afterEnd: "terminal event" };
    expect(await findConversationStream(test.context, { cId })).toEqual({
      ...enveloped,
      logId: cId,
      idleTimeoutMs: 180_000,
    });
    for (const version of [mId, message.sId]) {
      const stream = await findMessageStream(test.context, { cId, mId: version });
      expect(stream).toEqual({ ...enveloped, logId: version });
      const include = [
        "constructor",
        "notes",
        "compaction",
        "fallbacks",
        "budgets",
        "function_calls",
        "citations",
        "children",
      ];
      const whole = await findMessageStream(test.context, { cId, mId: version, include });
      expect(whole.hidden).toEqual(new Set());
    }
  });

  it("has no stream for what is not an answer of the conversation", async () => {
    const { sId: cId, content } = await create(["ann"]);
    const other = await create(["ann"]);
    const find = (mId: string) => refusalOf(findMessageStream(test.context, { cId, mId }));
    expect(await find(content[0]![0]!.sId)).toBe("400 invalid_request_error");
    expect(await find(other.content[1]![0]!.sId)).toBe("404 message_not_found");
    expect(await find(cId)).toBe("404 message_not_found");
  });
});
