import { ConversationPage, Success } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError, jsonOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answerIn, answersOf, createCalls } from "./calls.ts";
import { conversationPage, success } from "./sibling-shapes.ts";

// The interface: get, list, PATCH and DELETE of conversations.

/** The tests of what becomes of conversations that were created. */
export function storedConversationsSuite(server: () => Server): void {
  const calls = createCalls(server);
  const { call, create, get } = calls;
  const patch = (cId: string, json: unknown) => call("PATCH", `/${cId}`, { json });
  const succeeded = { shape: success, schema: Success };
  const listed = { shape: conversationPage, schema: ConversationPage };
  const list = async (query = "") => answerIn(await call("GET", query), listed);

  test("a conversation is read as it was created", async () => {
    const fragment = { title: "notes", content: "é", contentType: "text/plain" };
    const { spaceId } = server().demo;
    const further = { title: "As it was", contentFragments: [fragment], spaceId };
    const { conversation } = await create("Hello", [], further);
    expect(await get(conversation.sId)).toEqual(conversation);
    expect(await get(conversation.sId, server().demo.userKey)).toEqual({
      ...conversation,
      owner: { ...conversation.owner, role: "user" },
    });
  });

  test("answers are read as the blocking create gave them, their errors as objects", async () => {
    const { conversation } = await create("Hello", ["helper", "faulty"], { blocking: true });
    const { content, ...read } = await get(conversation.sId);
    expect(content.slice(0, 2)).toEqual(conversation.content.slice(0, 2));
    expect(content[2]?.[0]).toEqual({
      ...conversation.content[2]?.[0],
      error: { code: "simulated_failure", message: "This agent always fails", metadata: null },
    });
    expect(read.updated).toBeGreaterThanOrEqual(read.created);
  });

  test("an answer is news until the conversation is marked as read", async () => {
    const { conversation } = await create("Hello", ["helper"], { blocking: true });
    const { sId } = conversation;
    const unreadIn = async () =>
      (await list("?limit=1")).conversations.map((one) => [one.sId, one.unread]);
    await expect.poll(async () => (await get(sId)).unread, { interval: 5 }).toBe(true);
    expect(await unreadIn()).toEqual([[sId, true]]);
    answerIn(await patch(sId, { read: true }), succeeded);
    expect((await get(sId)).unread).toBe(false);
    expect(await unreadIn()).toEqual([[sId, false]]);
    // What the caller adds is not news.
    await calls.post(sId, { content: "More", mentions: [] });
    expect((await get(sId)).unread).toBe(false);
  });

  test("pages hold each conversation once, newest first", async () => {
    const created: string[] = [];
    for (let count = 0; count < 5; count++) {
      created.unshift((await create(`page ${count}`)).conversation.sId);
    }
    const seen: string[] = [];
    let query = "?limit=2";
    for (let page = 0; page < 3; page++) {
      const { conversations, hasMore, lastValue } = await list(query);
      expect(conversations).toHaveLength(2);
      seen.push(...conversations.map(({ sId }) => sId));
      expect(hasMore || page === 2).toBe(true);
      query = `?limit=2&lastValue=${lastValue}`;
    }
    expect(seen.slice(0, 5)).toEqual(created);
    expect(new Set(seen).size).toBe(6);
    const first = (await list("?limit=1")).conversations[0];
    const { content: _, ...whole } = await get(created[0] ?? "");
    expect(first).toEqual(whole);
  });

  test("the last page says that it is, and a workspace without conversations has one", async () => {
    const { workspace, adminKey } = await calls
      .operator()
      .workspaces.create.mutate({ name: "New" });
    const path = `/api/v1/w/${workspace.sId}/assistant/conversations`;
    const listOf = async (query: string) =>
      answerIn(await send(server(), { path: path + query, key: adminKey }), listed);
    const empty = { conversations: [], hasMore: false, lastValue: null };
    expect(await listOf("")).toEqual(empty);
    const json = { message: { content: "x", mentions: [] } };
    for (let count = 0; count < 21; count++) {
      expect((await send(server(), { path, key: adminKey, json })).status).toBe(200);
    }
    const page = await listOf("");
    expect(page).toMatchObject({ hasMore: true });
    expect(page.conversations).toHaveLength(20);
    const rest = await listOf(`?lastValue=${page.lastValue}`);
    expect(rest).toMatchObject({ hasMore: false, conversations: [{}] });
    expect(await listOf("?limit=21")).toMatchObject({ hasMore: false });
    expect(await listOf(`?lastValue=${rest.lastValue}`)).toEqual(empty);
    expect(await listOf("?lastValue=p1&limit=100&unknown=x")).toEqual(empty);
  });

  test.for([
    { query: "limit=0", field: "limit" },
    { query: "limit=101", field: "limit" },
    { query: "limit=-1", field: "limit" },
    { query: "limit=1.5", field: "limit" },
    { query: "limit=ten", field: "limit" },
    { query: "limit=1&limit=2", field: "limit" },
    { query: "lastValue=x", field: "lastValue" },
    { query: "lastValue=-1", field: "lastValue" },
    { query: "lastValue=1000", field: "lastValue" },
    { query: "lastValue=p99999999999999999999", field: "lastValue" },
  ])("the query `$query` names $field", async ({ query, field }) => {
    const answer = await call("GET", `?${query}`);
    expectError(answer, "invalid_request_error", { message: "Invalid query parameters: ", field });
  });

  test("a conversation gets another title, and stays where it is in the list", async () => {
    const { conversation } = await create("First title");
    const later = (await create("later")).conversation.sId;
    const { sId } = conversation;
    answerIn(await patch(sId, { title: "Second é😀" }), succeeded);
    expect((await get(sId)).title).toBe("Second é😀");
    answerIn(await patch(sId, { title: "Third", read: true, unknown: 1 }), succeeded);
    answerIn(await patch(sId, { title: null, read: true }), succeeded);
    const { conversations } = await list("?limit=2");
    expect(conversations.map((one) => [one.sId, one.title])).toEqual([
      [later, "later"],
      [sId, "Third"],
    ]);
  });

  test.for([
    { body: {}, field: "body" },
    { body: { read: false }, field: "read" },
    { body: { read: "true" }, field: "read" },
    { body: { title: "" }, field: "title" },
    { body: { title: 7 }, field: "title" },
    { body: { title: "x".repeat(513) }, field: "title" },
    { body: { title: "a\u0000" }, field: "title" },
  ])("the update $body is refused", async ({ body, field }) => {
    const { conversation } = await create("Kept");
    expectError(await patch(conversation.sId, body), "invalid_request_error", {
      message: "Invalid request body: ",
      ...(field !== "body" && { field }),
    });
    expect(await get(conversation.sId)).toEqual(conversation);
  });

  test("a deleted conversation is unknown, with all that was in it", async () => {
    const { conversation } = await create("Hello", ["helper"], { blocking: true });
    const { sId } = conversation;
    const mId = answersOf(await get(sId))[0]?.sId ?? "";
    answerIn(await call("DELETE", `/${sId}`), succeeded);
    const tails = [``, `/events`, `/messages/${mId}/events`];
    for (const tail of tails) {
      expectError(await call("GET", `/${sId}${tail}`), "conversation_not_found");
    }
    expectError(await call("DELETE", `/${sId}`), "conversation_not_found");
    expectError(await patch(sId, { read: true }), "conversation_not_found");
    expectError(await call("POST", `/${sId}/messages/${mId}/retry`), "conversation_not_found");
    expect((await list("?limit=100")).conversations.map((one) => one.sId)).not.toContain(sId);
  });

  test("a conversation is deleted while its agent writes", async () => {
    const { conversation } = await create("Hello", ["slowpoke"]);
    const waiting = calls.post(conversation.sId, {
      content: "x",
      mentions: [{ configurationId: "slowpoke" }],
      blocking: true,
    });
    const tail = `/${conversation.sId}`;
    await expect.poll(async () => (await get(conversation.sId)).content.length).toBe(4);
    answerIn(await call("DELETE", tail), succeeded);
    // Who waited is answered with what there was.
    expect((await waiting).agentMessages).toMatchObject([{ status: "created", content: "" }]);
    expectError(await call("GET", tail), "conversation_not_found");
  });

  test("a DELETE may say that its empty body is JSON", async () => {
    const { conversation } = await create("Hello");
    const headers = { "content-type": "application/json" };
    const answer = await call("DELETE", `/${conversation.sId}`, { headers });
    expect(jsonOf(answer, Success).raw).toEqual({ success: true });
  });
}
