import { endpoints, Success } from "@parley/schema";
import { expect, test } from "vitest";
import { expectError } from "../request.ts";
import type { Server } from "../server.ts";
import { answerIn, answersOf, createCalls, mentionOf, readUntil, textOf } from "./calls.ts";
import { messageFrame, retriedMessage, success } from "./sibling-shapes.ts";

// The interface: what was published is kept, and a retry is a new version.

/** The tests of cancelling and retrying answers. */
export function cancelAndRetrySuite(server: () => Server): void {
  const calls = createCalls(server);
  const { call, create, get, post, stream } = calls;
  const cancel = async (cId: string, ...messageIds: string[]) => {
    const answer = await call("POST", `/${cId}/cancel`, { json: { messageIds } });
    expect(answerIn(answer, { shape: success, schema: Success })).toEqual({ success: true });
  };
  const retry = async (cId: string, mId: string) => {
    const answer = await call("POST", `/${cId}/messages/${mId}/retry`);
    const retried = { shape: retriedMessage, schema: endpoints["messages.retry"].output };
    return answerIn(answer, retried).message;
  };
  const readAll = async (cId: string, mId: string) =>
    readUntil(await stream(`/${cId}/messages/${mId}/events`), messageFrame);
  /** A conversation with an agent's answer, which may not have ended. */
  const ask = async (agent: string, blocking: boolean) => {
    const { conversation } = await create("Hello", [agent], { blocking });
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    return { cId: conversation.sId, mId };
  };

  test("a cancelled answer keeps the text that it has published, and nothing else", async () => {
    const { cId, mId } = await ask("slowpoke", false);
    const following = await stream(`/${cId}/messages/${mId}/events`);
    let tokens = 0;
    const cancelled = Promise.withResolvers<void>();
    const events = await readUntil(following, messageFrame, ({ data }) => {
      if (data.type === "generation_tokens" && data["classification"] === "tokens") tokens++;
      if (tokens === 3) void cancel(cId, mId).then(cancelled.resolve, cancelled.reject);
      return data.type === "agent_generation_cancelled";
    });
    await cancelled.promise;
    const text = textOf(events);
    expect(text).toMatch(/^I take my/);
    expect(text.length).toBeLessThan(100);
    expect(await readAll(cId, mId)).toEqual(events);
    const [message] = answersOf(await get(cId));
    expect(message).toMatchObject({
      status: "cancelled",
      content: text,
      chainOfThought: "Let me think about that slowly.",
      rawContents: [{ step: 0, content: text }],
      error: null,
    });
    // Again, and it changes nothing.
    await cancel(cId, mId, mId);
    expect(answersOf(await get(cId))).toEqual([message]);
    expect(await readAll(cId, mId)).toEqual(events);
  });

  test("an answer is cancelled before a worker has claimed it, and blocking requests learn of it", async () => {
    const { cId, mId } = await ask("slowpoke", false);
    // It is behind the other of its ordering key, so no worker takes it.
    const waiting = post(cId, { content: "x", mentions: mentionOf("slowpoke"), blocking: true });
    await expect.poll(async () => (await get(cId)).content.length, { interval: 5 }).toBe(4);
    const second = answersOf(await get(cId))[1]?.sId ?? "";
    await cancel(cId, second);
    const cancelled = { status: "cancelled", content: "", rawContents: [], chainOfThought: null };
    expect((await waiting).agentMessages).toMatchObject([cancelled]);
    const events = await readAll(cId, second);
    expect(events).toMatchObject([{ eventId: "1", data: { type: "agent_generation_cancelled" } }]);
    expect(answersOf(await get(cId))).toMatchObject([{ status: "created" }, cancelled]);
    await cancel(cId, mId, second);
    // The ordering key is free for the next.
    const json = { content: "x", mentions: mentionOf("slowpoke") };
    const [third] = (await post(cId, json)).agentMessages;
    const following = await stream(`/${cId}/messages/${third?.sId}/events`);
    expect(await readUntil(following, messageFrame, () => true)).toHaveLength(1);
    await cancel(cId, third?.sId ?? "");
  });

  test("what has ended, or is not an answer of the conversation, is left alone", async () => {
    const { cId, mId } = await ask("helper", true);
    const other = await ask("slowpoke", false);
    const before = await get(cId);
    const events = await readAll(cId, mId);
    const user = before.content[0]?.[0]?.sId ?? "";
    await cancel(cId, mId, user, other.mId, "nobody", "__proto__");
    await cancel(cId);
    expect(await get(cId)).toEqual(before);
    expect(await readAll(cId, mId)).toEqual(events);
    expect(answersOf(await get(other.cId))).toMatchObject([{ status: "created" }]);
    await cancel(other.cId, other.mId);
  });

  test.for([
    { body: {}, field: "messageIds" },
    { body: { messageIds: "x" }, field: "messageIds" },
    { body: { messageIds: [1] }, field: "messageIds[0]" },
    { body: { messageIds: [""] }, field: "messageIds[0]" },
    { body: { messageIds: Array.from({ length: 101 }, () => "x") }, field: "messageIds" },
  ])("a cancel names $field when it is wrong", async ({ body, field }) => {
    const { conversation } = await create("Hello");
    const answer = await call("POST", `/${conversation.sId}/cancel`, { json: body });
    expectError(answer, "invalid_request_error", { message: "Invalid request body: ", field });
  });

  test("a retry is a new version at the same position, with a log of its own", async () => {
    const { cId, mId } = await ask("helper", true);
    const before = await get(cId);
    const events = await readAll(cId, mId);
    await post(cId, { content: "later", mentions: [] });
    const [first] = answersOf(before);
    const second = await retry(cId, mId);
    expect(second).toMatchObject({ version: 1, status: "created", content: "", actions: [] });
    expect(second.parentMessageId).toBe(first?.parentMessageId);
    expect(second.sId).not.toBe(mId);
    const ended = await readAll(cId, second.sId);
    expect(ended.at(-1)).toMatchObject({ data: { type: "agent_message_success" } });
    const { content } = await get(cId);
    expect(content).toHaveLength(3);
    expect(content[1]?.slice(0, 1)).toEqual([first]);
    expect(content[1]?.[1]).toMatchObject({
      ...second,
      status: "succeeded",
      content: first?.content,
      finishReason: "stop",
      rawContents: [{ step: 0, content: first?.content }],
    });
    expect(await readAll(cId, mId)).toEqual(events);
    // A retry of any version is a retry of what stands there now.
    expect(await retry(cId, mId)).toMatchObject({ version: 2 });
    expect((await get(cId)).content[1]).toHaveLength(3);
  });

  test("failed and cancelled answers are retried too", async () => {
    const failed = await ask("faulty", true);
    const again = await retry(failed.cId, failed.mId);
    const ended = await readAll(failed.cId, again.sId);
    expect(ended.at(-1)).toMatchObject({ data: { type: "agent_error" } });
    const slow = await ask("slowpoke", false);
    const { cId, mId } = slow;
    await cancel(cId, mId);
    const second = await retry(cId, mId);
    expect((await get(cId)).content[1]).toMatchObject([
      { status: "cancelled", version: 0 },
      { status: "created", version: 1 },
    ]);
    await cancel(cId, second.sId);
  });

  test("only an agent's answer that has ended is retried", async () => {
    const { cId, mId } = await ask("slowpoke", false);
    const user = (await get(cId)).content[0]?.[0]?.sId ?? "";
    for (const id of [mId, user]) {
      const answer = await call("POST", `/${cId}/messages/${id}/retry`);
      const message = "Invalid path parameters: mId";
      expectError(answer, "invalid_request_error", { message });
    }
    await cancel(cId, mId);
    expect((await get(cId)).content[1]).toHaveLength(1);
  });

  test("an archived agent does not answer again", async () => {
    const { workspaceId } = server().demo;
    const agentId = await calls.createAgent("short-lived", {
      steps: [{ text: "x" }],
      tokenDelayMs: 0,
    });
    const { cId, mId } = await ask(agentId, true);
    await calls.rpc().agents.archive.mutate({ wId: workspaceId, agentId });
    const answer = await call("POST", `/${cId}/messages/${mId}/retry`, { json: {} });
    expectError(answer, "invalid_request_error", { message: "Invalid path parameters: mId" });
    expect((await get(cId)).content[1]).toHaveLength(1);
  });

  test("a retry is answered by the agent as it now is", async () => {
    const { workspaceId } = server().demo;
    const script = (text: string) => ({ steps: [{ text }], tokenDelayMs: 0 });
    const agentId = await calls.createAgent("changing", script("one"));
    const { cId, mId } = await ask(agentId, true);
    await calls.rpc().agents.update.mutate({ wId: workspaceId, agentId, script: script("two") });
    const second = await retry(cId, mId);
    await readAll(cId, second.sId);
    expect((await get(cId)).content[1]).toMatchObject([
      { content: "one", configuration: { version: 0 } },
      { content: "two", configuration: { version: 1 } },
    ]);
  });
}
