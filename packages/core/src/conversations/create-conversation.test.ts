import {
  agents,
  conversations,
  events,
  logs,
  messages,
  runs,
  spaces,
  users,
  workspaces,
} from "@parley/db";
import { CreatedConversation, ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
} from "../../testing/testing.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { readEvents } from "../log/read-log.ts";

describe("createConversation", () => {
  const test = workspaceTest({ per: "suite", agents: ["ann", "bob"] });
  let other: WorkspaceRow;
  beforeAll(async () => {
    other = await insertTestWorkspace(test.core);
    await insertTestAgent(test.core, test.workspace, { sid: "old", status: "archived" });
    await insertTestAgent(test.core, test.workspace, { sid: "gone", isCurrent: false });
    await insertTestAgent(test.core, test.workspace, { sid: "costly", providerId: "openai" });
    await insertTestAgent(test.core, other, { sid: "stranger" });
  });

  const db = () => test.core.database.db;
  const create = (agentIds: string[], body = {}) =>
    createTestConversation(test.context, agentIds, body);
  const content = (created: CreatedConversation) =>
    created.conversation.content.map((versions) => {
      expect(versions).toHaveLength(1);
      return versions[0]!;
    });
  const agentsOf = (created: CreatedConversation) =>
    content(created).flatMap((message) =>
      message.type === "agent_message" ? [message.configuration.sId] : [],
    );

  it("answers with the conversation as the interface describes it", async () => {
    const created = await create(["ann"]);
    expect(CreatedConversation.parse(created)).toEqual(created);
    expect(created.conversation).toMatchObject({
      title: "Hello",
      visibility: "unlisted",
      created: test.clock.now,
      owner: { sId: test.workspaceId, role: "user" },
      url: `http://parley.test/w/${test.workspaceId}/conversation/${created.conversation.sId}`,
    });
    expect(created.warnings).toBeUndefined();
    expect(content(created)).toMatchObject([
      created.message,
      {
        type: "agent_message",
        status: "created",
        content: "",
        parentMessageId: created.message.sId,
        error: null,
      },
    ]);
  });

  it("puts fragments first, then the message, then the answers in the order of mentions", async () => {
    const fragment = (title: string) => ({ title, content: title, contentType: "text/plain" });
    const contentFragments = [fragment("one"), fragment("two")];
    const created = await create(["bob", "ann"], { contentFragments });
    expect(
      content(created).map((message) =>
        message.type === "content_fragment" ? message.title : message.type,
      ),
    ).toEqual(["one", "two", "user_message", "agent_message", "agent_message"]);
    expect(agentsOf(created)).toEqual(["bob", "ann"]);
    const ids = content(created).map((message) => message.id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    const rows = await db().select().from(messages).orderBy(messages.rank);
    expect(rows.map((row) => row.sid)).toEqual(content(created).map((message) => message.sId));
  });

  it("counts an agent that is mentioned twice once", async () => {
    const created = await create(["ann", "bob", "ann"]);
    expect(agentsOf(created)).toEqual(["ann", "bob"]);
    expect(created.message.mentions).toHaveLength(3);
    expect(await db().select().from(runs)).toHaveLength(2);
  });

  it("announces the message and the answers in the conversation's log", async () => {
    const { conversation, message } = await create(["ann", "bob"]);
    const announced = await readEvents(db(), conversation.sId, 0);
    expect(announced.map(({ seq, payload }) => [seq, JSON.parse(payload)])).toMatchObject([
      [1, { type: "user_message_new", messageId: message.sId, message: { rank: 0 } }],
      [2, { type: "agent_message_new", configurationId: "ann", message: { rank: 1 } }],
      [3, { type: "agent_message_new", configurationId: "bob", message: { rank: 2 } }],
    ]);
    expect(await db().select().from(logs)).toHaveLength(3);
  });

  it.each(["unknown", "old", "gone", "stranger"])(
    "starts nobody for the mention of %s, and warns in the same words",
    async (sid) => {
      const created = await create(["ann", sid]);
      expect(agentsOf(created)).toEqual(["ann"]);
      expect(created.warnings).toEqual([
        {
          path: "message.mentions[1].configurationId",
          message: "The workspace has no active agent with this id: nobody will answer for it",
        },
      ]);
    },
  );

  it("accepts a message for nobody", async () => {
    const created = await create([], { blocking: true });
    expect(content(created)).toEqual([created.message]);
    expect(await db().select().from(runs)).toEqual([]);
  });

  it("fills in the context, and takes the member with the e-mail address for the author", async () => {
    const anonymous = await create([]);
    expect(anonymous.message).toMatchObject({
      context: { username: "API User", timezone: "UTC", origin: "api" },
      user: { email: "", sId: test.context.caller.user.sid },
    });
    const member = { ...test.context.caller.user, sid: "member", email: "Ada@Example.com" };
    const { id: _id, ...row } = member;
    await db().insert(users).values(row);
    const written = { username: "ada", timezone: "Europe/Paris", email: "ada@example.COM" };
    const message = { content: "Hi", mentions: [], context: written };
    const created = await create([], { message });
    expect(created.message).toMatchObject({
      context: { ...written, origin: "api" },
      user: { sId: "member" },
    });
    await db().delete(users).where(eq(users.sid, "member"));
  });

  const mention = (sid: string, more = {}) => ({
    message: { content: "Hi", mentions: [{ configurationId: sid }], ...more },
  });
  const noop = { providerId: "noop", modelId: "noop" };
  const inline = { title: "ok", content: "x", contentType: "text/plain" };

  it("runs an agent with another model if the message selects one", async () => {
    await create([], mention("costly", { modelSelection: noop }));
    const [row] = await db().select().from(messages).where(eq(messages.type, "agent_message"));
    expect(row?.modelSelection).toMatchObject(noop);
  });

  it.each([
    ["an agent's own model", mention("costly"), "model_disabled"],
    [
      "the selected model",
      mention("ann", { modelSelection: { providerId: "x", modelId: "y" } }),
      "model_disabled",
    ],
    [
      "the selected model of a message for nobody",
      { message: { content: "Hi", mentions: [], modelSelection: { ...noop, modelId: "y" } } },
      "model_disabled",
    ],
    ["an unknown space", { spaceId: "vlt_unknown" }, "space_not_found"],
    ["a space of another workspace", { spaceId: "vlt_other" }, "space_not_found"],
    ["a restricted space", { spaceId: "vlt_secret" }, "space_not_found"],
    [
      "an unknown file after a good fragment",
      { contentFragments: [inline, { title: "f", fileId: "fil_x" }] },
      "file_not_found",
    ],
    [
      "an unknown node",
      { contentFragments: [{ title: "n", nodeId: "a", nodeDataSourceViewId: "dsv_x" }] },
      "data_source_view_not_found",
    ],
  ])("refuses %s with a 400 and leaves no trace", async (_name, body, type) => {
    const space = { name: "S", kind: "regular", isRestricted: false, createdAt: 0, updatedAt: 0 };
    await db()
      .insert(spaces)
      .values([
        { ...space, sid: "vlt_other", workspaceId: other.id },
        { ...space, sid: "vlt_secret", workspaceId: test.workspace.id, isRestricted: true },
      ])
      .onConflictDoNothing();
    const tables = [workspaces, users, agents, spaces, conversations, messages, logs, events];
    const count = async () => {
      const counts = [];
      for (const table of [...tables, runs]) counts.push(await db().$count(table));
      return counts;
    };
    const before = await count();
    const refused = create(["ann"], body).catch((error: unknown) => error);
    expect(await refused).toBeInstanceOf(ParleyError);
    expect(await refused).toMatchObject({ type, status: 400 });
    expect(await count()).toEqual(before);
  });

  it("accepts an open space of the workspace", async () => {
    const [space] = await db()
      .select()
      .from(spaces)
      .where(eq(spaces.workspaceId, test.workspace.id));
    await create(["ann"], { spaceId: space!.sid });
    const [row] = await db().select().from(conversations);
    expect(row?.spaceId).toBe(space!.id);
  });
});
