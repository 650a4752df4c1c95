import { readUIMessageStream, DefaultChatTransport, type UIMessageChunk } from "ai";
import { agentMessages } from "parley-client";
import { describe, expect, test } from "vitest";
import { approvingAgent } from "../client/approving-agent.ts";
import { createClientOf } from "../client/clients.ts";
import { shareServer } from "../server.ts";
import type { ChatMessage } from "./chats.ts";

// The streams of the interface as UI message streams, with the parser of the SDK.

const server = shareServer();
const clientOf = createClientOf(server);

/** The SDK's own parser of responses. */
class Parser extends DefaultChatTransport<ChatMessage> {
  parse(body: NonNullable<Response["body"]>): ReadableStream<UIMessageChunk> {
    return this.processResponseStream(body);
  }
}

async function begin(agentId: string) {
  const message = { content: "Hello!", mentions: [{ configurationId: agentId }] };
  const { conversation } = await clientOf().conversations.create({ message });
  const path = `/api/v1/w/${server().demo.workspaceId}/assistant/conversations/${conversation.sId}`;
  const [{ sId: messageId } = { sId: "" }] = agentMessages(conversation);
  return {
    conversationId: conversation.sId,
    messageId,
    path,
    ofMessage: `${path}/messages/${messageId}`,
  };
}

const get = async (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server().url}${path}`, {
    headers: { Authorization: `Bearer ${server().demo.userKey}`, ...headers },
  });

async function readChunks(body: Response["body"]): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of new Parser().parse(body!)) chunks.push(chunk);
  return chunks;
}

async function readMessage(body: Response["body"]): Promise<ChatMessage | undefined> {
  let message: ChatMessage | undefined;
  const stream = new Parser().parse(body!);
  for await (const one of readUIMessageStream<ChatMessage>({ stream })) message = one;
  return message;
}

/** The frames of a stream as text, each with its id. */
async function readFrames(response: Response) {
  const frames = (await response.text()).split("\n\n").filter((frame) => !/^(?::|$)/.test(frame));
  return frames.map((frame) => {
    const [, id = "", data = ""] = /^id: (\S+)\ndata: (.*)$/.exec(frame) ?? [];
    return { id, data };
  });
}

describe("?format=ai-sdk", () => {
  test("an answer is a UI message, while it is written and afterwards", async () => {
    const { ofMessage, path, conversationId, messageId } = await begin("slowpoke");
    const live = await get(`${ofMessage}/events?format=ai-sdk`);
    expect(live.status).toBe(200);
    expect(live.url).toMatch("/api/sse/");
    expect(live.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(live.headers.get("content-type")).toMatch("text/event-stream");
    const ofConversation = await get(`${path}/events?format=ai-sdk`);
    const [message, same] = await Promise.all(
      [live, ofConversation].map(({ body }) => readMessage(body)),
    );
    expect(message).toMatchObject({ id: messageId, metadata: { conversationId } });
    expect(same).toEqual(message);
    expect(await readMessage((await get(`${ofMessage}/events?format=ai-sdk`)).body)).toEqual(
      message,
    );
    // Nothing is in progress any more.
    expect((await get(`${path}/events?format=ai-sdk`)).status).toBe(204);
  });

  test("a stream continues with the same frames after any of them", async () => {
    const { ofMessage } = await begin("helper");
    const stream = `${ofMessage}/events?format=ai-sdk`;
    const whole = await readFrames(await get(stream));
    expect(whole.at(-1)?.data).toBe("[DONE]");
    expect(whole.length).toBeGreaterThan(5);
    for (const [index, { id }] of whole.slice(0, -1).entries()) {
      const rest = await readFrames(await get(stream, { "Last-Event-ID": id }));
      expect(rest).toEqual(whole.slice(index + 1));
    }
    const { id = "" } = whole.at(-1)!;
    expect((await get(`${stream}&lastEventId=${id}`)).status).toBe(204);
  });

  test("a stream ends where a call waits, and one that is resumed there waits for the decision", async () => {
    const { ofMessage, conversationId, messageId } = await begin(await approvingAgent(server()));
    const stream = `${ofMessage}/events?format=ai-sdk`;
    const whole = await readFrames(await get(stream));
    expect(whole.map(({ data }) => data).slice(-2)).toEqual([
      '{"type":"finish","finishReason":"tool-calls"}',
      "[DONE]",
    ]);
    const resumed = await get(stream, { "Last-Event-ID": whole.at(-1)!.id });
    const [{ actionId } = { actionId: "" }] = (
      await clientOf().conversations.listBlockedActions({ conversationId })
    ).blockedActions;
    await clientOf().messages.validateAction({
      conversationId,
      messageId,
      actionId,
      approved: "approved",
    });
    const chunks = await readChunks(resumed.body);
    expect(chunks[0]).toEqual({
      type: "tool-approval-response",
      approvalId: actionId,
      approved: true,
    });
    expect(chunks.at(-1)).toEqual({ type: "finish", finishReason: "stop" });
  });

  test("other formats and cursors are refused, and so are those without a credential", async () => {
    const { ofMessage, path } = await begin("helper");
    for (const [url, why] of [
      [`${ofMessage}/events?format=other`, "format: must be "],
      [`${path}/events?format=`, "format: must be "],
      [`${ofMessage}/events?format=ai-sdk&lastEventId=3`, "lastEventId: must be the id of a frame"],
    ] as const) {
      const response = await get(url);
      expect(response.status).toBe(400);
      expect(await response.text()).toMatch(why);
    }
    const anonymous = await fetch(`${server().url}${ofMessage}/events?format=ai-sdk`);
    expect(anonymous.status).toBe(401);
  });
});
