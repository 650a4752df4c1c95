import { actions, conversations, events, files, logs, messages, runs } from "@parley/db";
import { endpoints, parseInput } from "@parley/schema";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  answerTestTurns,
  createTestConversation,
  postTestMessage,
  testToken,
} from "../../testing/testing.ts";
import { cancelMessages } from "../conversations/cancel-messages.ts";
import { addContentFragment, retryMessage } from "../conversations/post-messages.ts";
import { appendEvents } from "../log/append.ts";

const MESSAGES = 6;
const BYTES = 10_000;
const limits = { messages: MESSAGES, bytes: BYTES };
const tooMany = `cId: a conversation may have ${MESSAGES} messages`;
const tooLarge = `cId: the texts of a conversation may have ${BYTES} bytes together`;

describe("the size of conversations", () => {
  const test = workspaceTest({
    parts: { conversationLimits: limits },
    per: "suite",
    agents: ["ann", "bob"],
  });
  const db = () => test.core.database.db;

  const create = async (agentIds: string[] = [], content = "Hello"): Promise<string> => {
    const mentions = agentIds.map((configurationId) => ({ configurationId }));
    const created = await createTestConversation(test.context, [], {
      message: { content, mentions },
    });
    return created.conversation.sId;
  };
  const addFragment = (cId: string, content: string) =>
    addContentFragment(
      test.context,
      parseInput(endpoints["contentFragments.create"], {
        wId: test.workspaceId,
        cId,
        title: "Notes",
        content,
        contentType: "text/plain",
      }),
    );
  /** Everything there is, to see that nothing was added to it. */
  const everything = async () => {
    const tables = [conversations, messages, logs, events, runs, files, actions];
    return Promise.all(tables.map((table) => db().select().from(table)));
  };
  const expectRefused = async (call: () => Promise<unknown>, message: string) => {
    const before = await everything();
    await expect(call()).rejects.toMatchObject({
      type: "invalid_request_error",
      status: 400,
      message: expect.stringContaining(message) as unknown,
    });
    expect(await everything()).toEqual(before);
  };

  it("lets no more messages in than there may be, however many come at once", async () => {
    const cId = await create();
    const posts = Array.from({ length: 20 }, () => postTestMessage(test.context, cId));
    const settled = await Promise.allSettled(posts);
    const refused = settled.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(20 - (MESSAGES - 1));
    expect(await db().select().from(messages)).toHaveLength(MESSAGES);
    await expectRefused(() => postTestMessage(test.context, cId), tooMany);
    await expectRefused(() => addFragment(cId, "More"), tooMany);
  });

  it("counts answers, each version of them, and fragments as messages", async () => {
    const cId = await create(["ann", "bob"]);
    await addFragment(cId, "Notes");
    await expectRefused(
      () => postTestMessage(test.context, cId, { agentIds: ["ann", "bob"] }),
      tooMany,
    );
    await postTestMessage(test.context, cId, { agentIds: ["ann"] });
    await expectRefused(() => postTestMessage(test.context, cId), tooMany);
  });

  it("refuses to answer again if there is no room for a version more", async () => {
    const cId = await create(["ann", "bob"]);
    await answerTestTurns(test.core);
    const answer = (await db().select().from(messages).where(eq(messages.rank, 1)))[0]!.sid;
    for (let count = 3; count < MESSAGES; count++) {
      await retryMessage(test.context, { cId, mId: answer });
      await answerTestTurns(test.core);
    }
    await expectRefused(() => retryMessage(test.context, { cId, mId: answer }), tooMany);
  });

  it("lets no more bytes in than there may be, fragments included", async () => {
    const cId = await create([], "é".repeat(BYTES / 4));
    await expectRefused(
      () => postTestMessage(test.context, cId, { content: "x".repeat(BYTES / 2 + 1) }),
      tooLarge,
    );
    await expectRefused(() => addFragment(cId, "x".repeat(BYTES / 2 + 1)), tooLarge);
    await addFragment(cId, "x".repeat(BYTES / 2));
    await expectRefused(() => postTestMessage(test.context, cId), tooLarge);
  });

  it("counts what agents have answered", async () => {
    const cId = await create(["ann"]);
    await answerTestTurns(test.core, "x".repeat(BYTES));
    await expectRefused(() => postTestMessage(test.context, cId), tooLarge);
  });

  it("counts what an agent had said when it was cancelled", async () => {
    const cId = await create(["ann"]);
    const answer = (await db().select().from(messages).where(eq(messages.rank, 1)))[0]!.sid;
    const said = { logId: answer, events: [testToken("x".repeat(BYTES))] };
    await appendEvents(db(), [said], []);
    await cancelMessages(test.context, { cId, messageIds: [answer] });
    await expectRefused(() => retryMessage(test.context, { cId, mId: answer }), tooLarge);
  });

  it("refuses to create what would be too large at once", async () => {
    const contentFragments = Array.from({ length: MESSAGES }, () => {
      return { title: "Notes", content: "Note", contentType: "text/plain" };
    });
    const many = () => createTestConversation(test.context, [], { contentFragments });
    await expectRefused(many, "Invalid request body: contentFragments: a conversation may have");
    await expectRefused(() => create([], "x".repeat(BYTES + 1)), "contentFragments: the texts of");
  });

  it("includes what was written before anything was counted", async () => {
    const cId = await create();
    await db().update(conversations).set({ messageCount: null, messageBytes: null });
    await postTestMessage(test.context, cId);
    const [row] = await db().select().from(conversations);
    expect(row).toMatchObject({ messageCount: 1, messageBytes: 4 });
  });
});
