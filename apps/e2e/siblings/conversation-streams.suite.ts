import { expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import { type Server, within } from "../server.ts";
import { createCalls, mentionOf, readUntil } from "./calls.ts";
import { conversationFrame, messageFrame } from "./sibling-shapes.ts";

// The interface: stream of a conversation.

/** The tests of following a conversation. */
export function conversationStreamsSuite(server: () => Server): void {
  const calls = createCalls(server);
  const { call, create, get, post, stream } = calls;

  test("posted messages are streamed live, in order, with their positions", async () => {
    const { conversation, message } = await create("Hello");
    const cId = conversation.sId;
    const following = await stream(`/${cId}/events`);
    const reading = readUntil(
      following,
      conversationFrame,
      ({ data }) => data.type === "conversation_title",
    );
    const mentions = mentionOf("helper", "faulty");
    const posted = await post(cId, { content: "x", mentions, blocking: true });
    const fragment = { title: "t", content: "x", contentType: "text/plain" };
    await call("POST", `/${cId}/content_fragments`, { json: fragment });
    const last = await post(cId, { content: "y", mentions: [] });
    await call("PATCH", `/${cId}`, { json: { read: true } });
    await call("PATCH", `/${cId}`, { json: { title: "Told" } });
    const events = await within(5000, reading);

    expect(events.map(({ eventId }) => eventId)).toEqual(events.map((_, index) => `${index + 1}`));
    const ofType = (type: string) => events.filter(({ data }) => data.type === type);
    const order = events.map(({ data }) => data.type);
    const done = order.filter((type) => type === "agent_message_done");
    expect(order.filter((type) => type !== "agent_message_done")).toEqual([
      "user_message_new",
      "user_message_new",
      "agent_message_new",
      "agent_message_new",
      "user_message_new",
      "conversation_title",
    ]);
    expect(done).toHaveLength(2);
    expect(order.indexOf("agent_message_done")).toBeGreaterThan(3);
    expect(order.lastIndexOf("agent_message_done")).toBeLessThan(6);
    expect(ofType("user_message_new").map(({ data }) => data["message"])).toEqual([
      { ...message, rank: 0 },
      { ...posted.message, rank: 1 },
      { ...last.message, rank: 5 },
    ]);
    const waiting = { status: "created", content: "", chainOfThought: null, rawContents: [] };
    expect(ofType("agent_message_new").map(({ data }) => data)).toMatchObject(
      posted.agentMessages.map(({ sId, configuration }, index) => ({
        messageId: sId,
        configurationId: configuration.sId,
        message: { sId, configuration, rank: index + 2, ...waiting },
      })),
    );
    const ends = ofType("agent_message_done").map(({ data }) => data);
    expect(ends).toHaveLength(2);
    for (const [index, status] of ["success", "error"].entries()) {
      const { sId: messageId, configuration } = posted.agentMessages[index] ?? {};
      const expected = { conversationId: cId, configurationId: configuration?.sId, status };
      expect(ends.find((end) => end["messageId"] === messageId)).toMatchObject(expected);
    }
    expect(events.at(-1)).toMatchObject({ data: { title: "Told" } });
  });

  test("a retry and a cancel are streamed too", async () => {
    const { conversation } = await create("Hello", ["slowpoke"]);
    const cId = conversation.sId;
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    let ends = 0;
    const reading = readUntil(
      await stream(`/${cId}/events`),
      conversationFrame,
      ({ data }) => data.type === "agent_message_done" && ++ends === 2,
    );
    await call("POST", `/${cId}/cancel`, { json: { messageIds: [mId] } });
    const retried = await call("POST", `/${cId}/messages/${mId}/retry`);
    const { message } = JSON.parse(retried.text) as { message: { sId: string } };
    await call("POST", `/${cId}/cancel`, { json: { messageIds: [message.sId] } });
    const events = await within(5000, reading);
    expect(events.slice(1).map(({ data }) => [data.type, data["messageId"]])).toEqual([
      ["agent_message_new", mId],
      ["agent_message_done", mId],
      ["agent_message_new", message.sId],
      ["agent_message_done", message.sId],
    ]);
    expect(events[3]?.data["message"]).toMatchObject({ version: 1, rank: 1 });
    expect(events[4]?.data["status"]).toBe("error");
  });

  test("every cut is resumed, by header or by query, with ids", async () => {
    const { conversation } = await create("Hello", ["helper", "faulty"], { blocking: true });
    const cId = conversation.sId;
    const tail = `/${cId}/events`;
    const isLast = ({ eventId }: { eventId: string }) => eventId === "5";
    const whole = await readUntil(await stream(tail), conversationFrame, isLast);
    expect(whole).toHaveLength(5);
    for (let cut = 0; cut < 5; cut++) {
      const byQuery = await stream(`${tail}?lastEventId=${cut}`);
      expect(await readUntil(byQuery, conversationFrame, isLast)).toEqual(whole.slice(cut));
      // The header wins.
      const headers = { "last-event-id": `${cut}` };
      const byHeader = await stream(`${tail}?lastEventId=5`, { headers });
      const reader = byHeader.body?.pipeThrough(new TextDecoderStream()).getReader();
      const first = (await reader?.read())?.value ?? "";
      await reader?.cancel();
      expect(first).toMatch(new RegExp(`^id: ${cut + 1}\ndata: {"eventId":"${cut + 1}","data":{`));
    }
    // At its end, the next event is waited for.
    const live = await stream(`${tail}?lastEventId=5`);
    const reading = readUntil(live, conversationFrame, () => true);
    const { message } = await post(cId, { content: "next", mentions: [] });
    expect(await within(5000, reading)).toMatchObject([
      { eventId: "6", data: { type: "user_message_new", messageId: message.sId } },
    ]);
    for (const cursor of ["7", "x", "-1"]) {
      const path = `${pathsOf(server()).conversations}${tail}`.replace("/api/", "/api/sse/");
      const answer = await send(server(), { path, headers: { "last-event-id": cursor } });
      expectError(answer, "invalid_request_error", { field: "lastEventId" });
    }
  });

  test("the redirect and the stream are guarded alike", async () => {
    const { conversation } = await create("Hello");
    const path = `${pathsOf(server()).conversations}/${conversation.sId}/events`;
    const redirect = await send(server(), { path: `${path}?lastEventId=1` });
    expect([redirect.status, redirect.text]).toEqual([307, ""]);
    const location = `${path.replace("/api/", "/api/sse/")}?lastEventId=1`;
    expect(redirect.headers.get("location")).toBe(location);
    for (const guarded of [path, path.replace("/api/", "/api/sse/")]) {
      expectError(await send(server(), { path: guarded, key: null }), "not_authenticated");
      expectError(await send(server(), { path: guarded, key: "sk-x" }), "invalid_api_key_error");
      const unknown = guarded.replace(conversation.sId, "AAAAAAAAAA");
      expectError(await send(server(), { path: unknown }), "conversation_not_found");
    }
  });

  test("the stream of a deleted conversation ends", async () => {
    const { conversation } = await create("Hello", ["slowpoke"]);
    const cId = conversation.sId;
    const reading = readUntil(await stream(`/${cId}/events`), conversationFrame);
    await call("DELETE", `/${cId}`);
    const events = await within(5000, reading);
    expect(events.map(({ data }) => data.type)).toEqual(["user_message_new", "agent_message_new"]);
  });

  test("the streams of a key that is revoked end at once", async () => {
    const { workspaceId } = server().demo;
    const rpc = calls.rpc();
    const name = "revoked";
    const role = "builder";
    const { apiKey, secret } = await rpc.apiKeys.create.mutate({ wId: workspaceId, name, role });
    const { conversation } = await create("Hello", ["slowpoke"]);
    const cId = conversation.sId;
    const tail = `/${cId}/messages/${conversation.content[1]?.[0]?.sId}/events`;
    const other = await stream(`/${cId}/events`);
    const streams = [
      readUntil(await stream(`/${cId}/events`, { key: secret }), conversationFrame),
      readUntil(await stream(tail, { key: secret }), messageFrame),
    ];
    await rpc.apiKeys.revoke.mutate({ wId: workspaceId, keyId: apiKey.sId });
    const [ofConversation, ofMessage] = await within(1000, Promise.all(streams));
    expect(ofConversation?.length).toBeLessThan(4);
    expect(ofMessage?.some(({ data }) => data.type === "agent_message_success")).toBe(false);
    const again = await stream(tail, { key: secret });
    expect([again.status, (await again.text()).includes("invalid_api_key_error")]).toEqual([
      401,
      true,
    ]);
    // Those of other keys continue.
    const reading = readUntil(
      other,
      conversationFrame,
      ({ data }) => data.type === "conversation_title",
    );
    await call("PATCH", `/${cId}`, { json: { title: "Goes on" } });
    expect((await within(5000, reading)).at(-1)).toMatchObject({ data: { title: "Goes on" } });
    expect((await get(cId)).title).toBe("Goes on");
  });
}
