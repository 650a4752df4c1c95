import { isToolUIPart } from "ai";
import { agentMessages } from "parley-client";
import { expect, test } from "vitest";
import { approvingAgent } from "../client/approving-agent.ts";
import { createClientOf } from "../client/clients.ts";
import { createPlace, shareServer, startServer } from "../server.ts";
import { type ChatMessage, apiOf, conversationOf, lastText, openChat } from "./chats.ts";

// Chats that are resumed by a replay, and calls that wait for decisions between streams.

const server = shareServer();
const clientOf = createClientOf(server);

let ids = 0;
const newId = () => `resume-${++ids}-${Date.now()}`;
const callOf = (chat: { messages: ChatMessage[] }) =>
  chat.messages.at(-1)?.parts.find(isToolUIPart);

/** A message without what differs between two chats. */
const contentOf = ({ id, metadata, ...rest }: ChatMessage) => rest;

const answersOf = async (conversationId: string) =>
  agentMessages((await clientOf().conversations.get({ conversationId })).conversation);

test("a page that is loaded again has the message of the page before", async () => {
  const id = newId();
  const before = openChat(server(), { id });
  const sent = before.sendMessage({ text: "Hello!" });
  await expect.poll(() => lastText(before)).toMatch("take my time");
  const page = openChat(server(), { id, messages: before.messages.slice(0, 1) });
  await page.resumeStream();
  await sent;
  expect(before.error).toBeUndefined();
  expect(page.error).toBeUndefined();
  expect(page.messages).toEqual(before.messages);
  const [stored] = await answersOf(conversationOf(page));
  expect(lastText(page)).toBe(stored!.content);

  // Nothing is in progress: not in this chat, and not in one that nobody has begun.
  const again = openChat(server(), { id, messages: before.messages });
  await again.resumeStream();
  expect(again).toMatchObject({ status: "ready", messages: before.messages });
  const other = openChat(server(), { id: newId() });
  await other.resumeStream();
  expect(other).toMatchObject({ status: "ready", messages: [] });
});

test.for([
  { approved: true, state: "output-available", status: "succeeded" },
  { approved: false, state: "output-denied", status: "denied" },
])("a call that waits is decided, approved: $approved", async ({ approved, state, status }) => {
  const agentId = await approvingAgent(server());
  const id = newId();
  const chat = openChat(server(), { id, agentId });
  await chat.sendMessage({ text: "Pay it back" });
  expect(chat.status).toBe("ready");
  const asked = callOf(chat)!;
  expect(asked).toMatchObject({ state: "approval-requested", approval: { id: asked.toolCallId } });

  // A page that is loaded again asks again.
  const page = openChat(server(), { id, agentId, messages: chat.messages.slice(0, 1) });
  await page.resumeStream();
  expect(page.messages).toEqual(chat.messages);
  await page.addToolApprovalResponse({ id: asked.toolCallId, approved });
  await expect.poll(() => page.status === "ready" && lastText(page)).toMatch("Done");
  expect(page.error).toBeUndefined();
  expect(callOf(page)).toMatchObject({ state, approval: { approved } });
  const [stored] = await answersOf(conversationOf(page));
  expect(stored!.actions).toMatchObject([{ sId: asked.toolCallId, status }]);
  expect(lastText(page)).toBe(stored!.content);

  // The other page decides the same, and misses nothing.
  await chat.addToolApprovalResponse({ id: asked.toolCallId, approved });
  await expect.poll(() => chat.status === "ready" && lastText(chat)).toMatch("Done");
  expect(chat.messages).toEqual(page.messages);
});

test("a question is answered before a call beside it is asked about", async () => {
  const agentId = await approvingAgent(server(), { asks: true });
  const chat = openChat(server(), { id: newId(), agentId });
  const sent = chat.sendMessage({ text: "Pay it back" });
  await expect.poll(() => chat.messages.at(-1)?.parts.filter(isToolUIPart)).toHaveLength(2);
  const conversationId = conversationOf(chat);
  const parley = clientOf();
  const { blockedActions } = await parley.conversations.listBlockedActions({ conversationId });
  const { actionId, messageId } = blockedActions.find(
    ({ type }) => type === "tool_ask_user_question",
  )!;
  expect(chat.status).toBe("streaming");
  const answer = { selectedOptions: [], customResponse: "It is broken" };
  await parley.messages.answerQuestion({ conversationId, messageId, actionId, answer });
  await sent;
  expect(callOf(chat)?.state).toBe("approval-requested");
  await chat.addToolApprovalResponse({ id: callOf(chat)!.toolCallId, approved: true });
  await expect.poll(() => chat.status === "ready" && lastText(chat)).toMatch("Done");
  expect(chat.error).toBeUndefined();
});

test("a decision about a call of others is refused, and decides nothing", async () => {
  const { demo } = server();
  const agentId = await approvingAgent(server());
  const victim = openChat(server(), { id: newId(), agentId, key: demo.adminKey });
  await victim.sendMessage({ text: "Pay it back" });
  const { toolCallId } = callOf(victim)!;
  const own = openChat(server(), { id: newId(), agentId });
  await own.sendMessage({ text: "Pay it back" });
  for (const forged of [
    victim.messages.at(-1)!,
    { ...victim.messages.at(-1)!, id: own.messages.at(-1)!.id },
  ]) {
    const parts = forged.parts.map((part) =>
      isToolUIPart(part)
        ? { ...part, state: "approval-responded", approval: { id: toolCallId, approved: true } }
        : part,
    );
    const response = await fetch(apiOf(server(), agentId), {
      method: "POST",
      headers: { Authorization: `Bearer ${demo.userKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({
        id: own.id,
        trigger: "submit-message",
        messages: [own.messages[0], { ...forged, parts }],
      }),
    });
    expect([400, 404]).toContain(response.status);
    expect(await response.text()).toMatch(/message_not_found|invalid_request_error/);
  }
  const admin = clientOf({ apiKey: demo.adminKey });
  const { blockedActions } = await admin.conversations.listBlockedActions({
    conversationId: conversationOf(victim),
  });
  expect(blockedActions).toMatchObject([{ actionId: toolCallId }]);
});

test("a server that is killed in mid-stream costs no word: the chat resumes by a replay", async () => {
  await using place = await createPlace();
  let current = await startServer(place);
  try {
    const { url } = current;
    const transport = {
      api: `${apiOf(current, "slowpoke")}?ended=replay`,
      fetch: (async (input, init) =>
        fetch(String(input).replace(url, current.url), init)) as typeof fetch,
    };
    const undisturbed = openChat(current, { id: newId(), transport });
    await undisturbed.sendMessage({ text: "Hello!" });
    const chat = openChat(current, { id: newId(), transport });
    const sent = chat.sendMessage({ text: "Hello!" });
    await expect.poll(() => lastText(chat)).toMatch("take my time");
    await current.kill();
    await sent;
    expect(chat.status).toBe("error");
    current = await startServer(place);
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    expect(chat.messages.map(contentOf)).toEqual(undisturbed.messages.map(contentOf));

    // One that is stopped in order breaks the stream off too: its end would be that of the answer.
    const next = openChat(current, { id: newId(), transport });
    const asked = next.sendMessage({ text: "Hello!" });
    await expect.poll(() => lastText(next)).toMatch("take my time");
    await current[Symbol.asyncDispose]();
    await asked;
    expect(next.status).toBe("error");
    current = await startServer(place);
    await next.resumeStream();
    expect(next.messages.map(contentOf)).toEqual(undisturbed.messages.map(contentOf));
  } finally {
    await current.kill();
  }
});
