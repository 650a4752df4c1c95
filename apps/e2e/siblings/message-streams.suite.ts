import { expect, test } from "vitest";
import { expectError, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { answersOf, createCalls, mentionOf, readUntil, textOf } from "./calls.ts";
import { messageFrame } from "./sibling-shapes.ts";

// The interface: stream of one version of an agent's message.

/** The tests of following an answer. */
export function messageStreamsSuite(server: () => Server): void {
  const calls = createCalls(server);
  const { call, create, get, post, stream } = calls;
  /** Creates a conversation with an answer that has ended, and gives the path of its stream. */
  const ask = async (agent: string, blocking = true) => {
    const { conversation } = await create("Hello", [agent], { blocking });
    const mId = conversation.content[1]?.[0]?.sId ?? "";
    return { cId: conversation.sId, mId, tail: `/${conversation.sId}/messages/${mId}/events` };
  };
  const read = async (tail: string, headers: Record<string, string> = {}) => {
    const path = (pathsOf(server()).conversations + tail).replace("/api/", "/api/sse/");
    return send(server(), { path, headers });
  };
  /** The frames of a whole stream, as text. */
  const framesIn = async (tail: string, headers: Record<string, string> = {}) => {
    const answer = await read(tail, headers);
    expect(answer.status).toBe(200);
    return answer.text.split(/(?<=\n\n)/);
  };

  test("the redirect has the same path and query", async () => {
    const { tail } = await ask("helper");
    for (const query of ["", "?lastEventId=1&x=%20/api/"]) {
      const answer = await call("GET", tail + query);
      const path = pathsOf(server()).conversations + tail + query;
      expect([answer.status, answer.text]).toEqual([307, ""]);
      expect(answer.headers.get("location")).toBe(path.replace("/api/", "/api/sse/"));
    }
  });

  test("a frame is the envelope byte for byte, and the headers are a stream's", async () => {
    const { tail, mId } = await ask("helper");
    const answer = await read(tail, { "accept-encoding": "gzip, br" });
    const about = `"created":\\d{13},"configurationId":"helper","messageId":"${mId}","step":0`;
    expect(answer.text).toMatch(
      new RegExp(
        `^data: {"eventId":"1","data":{"type":"generation_tokens",${about},` +
          `"text":"You said: Hello\\\\nI am a simulated agent, glad to help.",` +
          `"classification":"tokens"}}\n\n` +
          `data: {"eventId":"2","data":{"type":"agent_message_success",${about},` +
          `"message":{"type":"agent_message",[^\n]*},"runIds":\\[\\]}}\n\n$`,
      ),
    );
    expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(answer.headers.get("x-accel-buffering")).toBe("no");
    expect(answer.headers.get("content-encoding")).toBeNull();
  });

  test("a turn of several steps tells its reasoning, its text and its tool calls", async () => {
    const agentId = await calls.createAgent("thorough", {
      steps: [
        {
          reasoning: "Which city? ",
          text: "I look it up. ",
          toolCalls: [
            { name: "search", params: { q: "é😀" }, output: "Paris" },
            { name: "weather", params: {}, output: "sunny" },
          ],
        },
        { reasoning: "Now I know.", text: "It is sunny." },
      ],
      tokenDelayMs: 0,
    });
    const { cId, mId, tail } = await ask(agentId);
    const events = await readUntil(await stream(tail), messageFrame);
    expect(events.map(({ eventId }) => eventId)).toEqual(events.map((_, index) => `${index + 1}`));
    const kinds = events.map(({ data }) => `${data.type} ${String(data["classification"] ?? "")}`);
    expect(kinds.map((kind) => kind.trim())).toEqual([
      "generation_tokens chain_of_thought",
      "generation_tokens tokens",
      "tool_params",
      "agent_action_success",
      "tool_params",
      "agent_action_success",
      "generation_tokens chain_of_thought",
      "generation_tokens tokens",
      "agent_message_success",
    ]);
    for (const { data } of events) {
      expect(data).toMatchObject({ configurationId: agentId, messageId: mId });
    }
    expect(events.map(({ data }) => data["step"])).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1]);
    const [stored] = answersOf(await get(cId));
    expect(stored).toMatchObject({
      content: "I look it up. It is sunny.",
      chainOfThought: "Which city? Now I know.",
      rawContents: [
        { step: 0, content: "I look it up. " },
        { step: 1, content: "It is sunny." },
      ],
      actions: [
        { toolName: "search", step: 0, params: { q: "é😀" }, agentMessageId: stored?.id },
        { toolName: "weather", step: 0, params: {} },
      ],
    });
    expect(events.at(-1)?.data["message"]).toEqual(stored);
    expect(textOf(events)).toBe(stored?.content);
    const called = events.filter(({ data }) => data.type === "agent_action_success");
    expect(called.map(({ data }) => data["action"])).toEqual(stored?.actions);
    const begun = events.find(({ data }) => data.type === "tool_params");
    expect(begun?.data["action"]).toMatchObject({
      sId: stored?.actions[0]?.sId,
      params: { q: "é😀" },
    });
  });

  test("a failure is the terminal event, after the text before it", async () => {
    const { tail } = await ask("faulty");
    const events = await readUntil(await stream(tail), messageFrame);
    const error = { code: "simulated_failure", message: "This agent always fails", metadata: null };
    expect(events).toMatchObject([
      { eventId: "1", data: { type: "generation_tokens", text: "I will try, but " } },
      { eventId: "2", data: { type: "agent_error", error } },
    ]);
  });

  test("ids are sent to those who resume, in the frame and before the data", async () => {
    const { tail } = await ask("helper");
    const plain = await framesIn(tail);
    const withIds = plain.map((frame, index) => `id: ${index + 1}\n${frame}`);
    for (const query of ["?lastEventId=", "?lastEventId=0", "?lastEventId=00"]) {
      expect(await framesIn(tail + query)).toEqual(withIds);
    }
    expect(await framesIn(tail, { "last-event-id": "" })).toEqual(withIds);
    expect(await framesIn(`${tail}?lastEventId=1`)).toEqual(withIds.slice(1));
    expect(await framesIn(tail, { "last-event-id": "1" })).toEqual(withIds.slice(1));
    // The header wins.
    const both = await framesIn(`${tail}?lastEventId=x`, { "last-event-id": "1" });
    expect(both).toEqual(withIds.slice(1));
    const none = await framesIn(`${tail}?lastEventId=1`, { "last-event-id": "0" });
    expect(none).toEqual(withIds);
  });

  test("who has the terminal event gets it again, never an empty stream", async () => {
    for (const agent of ["helper", "faulty"]) {
      const { tail } = await ask(agent);
      const [, last] = await framesIn(tail);
      // Whatever cursor it sends, one past the end too.
      for (const cursor of ["2", "3", "4711"]) {
        expect(await framesIn(`${tail}?lastEventId=${cursor}`)).toEqual([`id: 2\n${last}`]);
        expect(await framesIn(tail, { "last-event-id": cursor })).toEqual([`id: 2\n${last}`]);
      }
    }
  });

  test.for(["x", "-1", "1.0", "+1", "1e0", "%00", "9".repeat(16)])(
    "the cursor `%s` is refused",
    async (cursor) => {
      const { tail } = await ask("helper");
      const message = "Invalid query parameters: ";
      const expected = { message, field: "lastEventId" };
      const query = await read(`${tail}?lastEventId=${cursor.replace("+", "%2B")}`);
      expectError(query, "invalid_request_error", expected);
      const header = await read(tail, { "last-event-id": cursor });
      expectError(header, "invalid_request_error", expected);
    },
  );

  test("only an agent's message has a stream", async () => {
    const { cId } = await ask("helper");
    const user = (await get(cId)).content[0]?.[0]?.sId;
    const fragment = { title: "t", content: "x", contentType: "text/plain" };
    const added = await call("POST", `/${cId}/content_fragments`, { json: fragment });
    const { contentFragment } = JSON.parse(added.text) as { contentFragment: { sId: string } };
    for (const mId of [user, contentFragment.sId]) {
      const tail = `/${cId}/messages/${mId}/events`;
      expectError(await call("GET", tail), "invalid_request_error");
      expectError(await read(tail), "invalid_request_error");
    }
  });

  test("the redirect and the stream are guarded alike", async () => {
    const { tail } = await ask("helper");
    for (const prefix of ["/api/", "/api/sse/"]) {
      const path = (pathsOf(server()).conversations + tail).replace("/api/", prefix);
      expectError(await send(server(), { path, key: null }), "not_authenticated");
      expectError(await send(server(), { path, key: "sk-nobody" }), "invalid_api_key_error");
      const elsewhere = path.replace(server().demo.workspaceId, "AAAAAAAAAA");
      expectError(await send(server(), { path: elsewhere }), "workspace_auth_error");
    }
  });

  test("tokens come while the agent writes, and a cut follower misses none", async () => {
    const { cId, mId, tail } = await ask("slowpoke", false);
    const first = await readUntil(
      await stream(`${tail}?lastEventId=0`),
      messageFrame,
      ({ eventId }) => eventId === "12",
    );
    expect(answersOf(await get(cId))).toMatchObject([{ status: "created" }]);
    const [rest, whole] = await Promise.all([
      stream(`${tail}?lastEventId=12`).then((response) => readUntil(response, messageFrame)),
      stream(tail).then((response) => readUntil(response, messageFrame)),
    ]);
    expect([...first, ...rest]).toEqual(whole);
    expect(whole.map(({ eventId }) => eventId)).toEqual(whole.map((_, index) => `${index + 1}`));
    const [stored] = answersOf(await get(cId));
    expect(textOf(whole)).toBe(stored?.content);
    expect(whole.at(-1)?.data).toMatchObject({ type: "agent_message_success", messageId: mId });
    expect(whole.at(-1)?.data["message"]).toEqual(stored);
  });

  test("an agent that has nothing to say ends with an empty answer", async () => {
    const agentId = await calls.createAgent("silent", { steps: [{}], tokenDelayMs: 0 });
    const { cId, tail } = await ask(agentId);
    const frames = await readUntil(await stream(tail), messageFrame);
    expect(frames).toMatchObject([{ eventId: "1", data: { type: "agent_message_success" } }]);
    expect(answersOf(await get(cId))).toMatchObject([{ status: "succeeded", content: "" }]);
    const again = { content: "again", mentions: mentionOf(agentId), blocking: true };
    expect((await post(cId, again)).agentMessages).toMatchObject([{ status: "succeeded" }]);
  });

  test("the stream of an answer ends when its conversation is deleted", async () => {
    const { cId, tail } = await ask("slowpoke", false);
    const response = await stream(tail);
    const reading = readUntil(response, messageFrame);
    expect((await call("DELETE", `/${cId}`)).status).toBe(200);
    const events = await reading;
    for (const event of events) expect(event.data.type).toBe("generation_tokens");
  });
}
