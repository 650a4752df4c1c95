import { useChat } from "@ai-sdk/react";
import { agentMessages } from "parley-client";
import {
  type ChatMessage,
  type ChatTransportOptions,
  createChatTransport,
  toChatMessages,
} from "parley-client/ai-sdk";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createElement, type ReactNode, useState } from "react";
import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { approvingAgent } from "./approving-agent.ts";
import { createClientOf } from "./clients.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { button, openPages, show } from "./page.ts";

// `useChat` of the AI SDK over a transport to a real server, in React, under StrictMode.

const server = shareServer();
const open = openPages();

const clientOf = createClientOf(server);

interface ChatOptions extends ChatTransportOptions {
  readonly chatId: string;
  readonly messages?: ChatMessage[];
}

/** A chat, as an application would write it. */
function Chat({ chatId, messages: initial = [], ...options }: ChatOptions): ReactNode {
  const [transport] = useState(() => createChatTransport(options));
  const chat = useChat<ChatMessage>({
    id: chatId,
    messages: initial,
    transport,
    resume: options.findConversation !== undefined,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const last = chat.messages.at(-1);
  const parts = last?.role === "assistant" ? last.parts : [];
  const textOf = (kind: "text" | "reasoning") =>
    parts.flatMap((part) => (part.type === kind ? part.text : [])).join("");
  const call = parts.find((part) => part.type === "dynamic-tool");
  const approve = (approved: boolean) =>
    call?.approval && chat.addToolApprovalResponse({ id: call.approval.id, approved });
  return [
    show("status", chat.status),
    show("roles", chat.messages.map(({ role }) => role).join()),
    show("ids", chat.messages.map(({ id }) => id).join()),
    show("answer", textOf("text")),
    show("reasoning", textOf("reasoning")),
    show("call", call?.state),
    show("error", chat.error?.message ?? "none"),
    button("send", () => chat.sendMessage({ text: "Hello!" })),
    button("regenerate", () => chat.regenerate()),
    button("stop", () => chat.stop()),
    button("cancel", () => transport.cancel(chatId)),
    button("resume", () => chat.resumeStream()),
    button("approve", () => approve(true)),
    button("reject", () => approve(false)),
  ];
}

const storedAnswer = async (conversationId: string) => {
  const { conversation } = await clientOf().conversations.get({ conversationId });
  return agentMessages(conversation).at(-1)!;
};

let chats = 0;

/** Opens a chat, and gives its conversations as they are created. */
async function openChat(options: Partial<ChatOptions> = {}) {
  const created: string[] = [];
  const page = await open(
    createElement(Chat, {
      parley: clientOf(),
      agentId: "slowpoke",
      chatId: `chat-${++chats}`,
      onCreate: ({ conversationId }) => void created.push(conversationId),
      ...options,
    }),
  );
  return { page, created };
}

/** A page on which the conversation is opened again. */
async function reopened(conversationId: string, options: Partial<ChatOptions> = {}) {
  const { conversation } = await clientOf().conversations.get({ conversationId });
  const messages = toChatMessages(conversation);
  return (await openChat({ messages, findConversation: () => conversationId, ...options })).page;
}

test("a chat is whole and not doubled, wherever connections are cut", async () => {
  let seed = 5;
  const nextCut = () => 1 + ((seed = (seed * 48_271) % 2_147_483_647) % 6000);
  await using proxy = await startCuttingProxy(server().url, nextCut);
  const { page, created } = await openChat({
    parley: clientOf({ baseUrl: proxy.url, maxRetries: 20 }),
  });
  page.click("send");
  await page.shows("answer", /take my time/);
  await page.shows("status", "ready");
  const stored = await storedAnswer(created[0] ?? "");
  expect(page.text("answer")).toBe(stored.content);
  expect(page.text("reasoning")).toBe(stored.chainOfThought);
  expect(page.text("ids").split(",").at(-1)).toBe(stored.sId);

  page.click("send");
  await page.shows("roles", "user,assistant,user,assistant");
  await page.shows("status", "ready");
  expect(created).toHaveLength(1);
  const second = await storedAnswer(created[0] ?? "");
  expect(second.sId).not.toBe(stored.sId);
  expect(page.text("answer")).toBe(second.content);
  expect(page.text("error")).toBe("none");
  expect(proxy.cuts()).toBeGreaterThan(3);
});

test("a page that is loaded again resumes the answer from its beginning", async () => {
  const { page: first, created } = await openChat();
  first.click("send");
  await first.shows("answer", /take my time/);
  first.unmount();
  const [conversationId = ""] = created;
  const page = await reopened(conversationId);
  await page.shows("status", "streaming");
  await page.shows("status", "ready");
  const stored = await storedAnswer(conversationId);
  expect(stored.status).toBe("succeeded");
  expect(page.text("answer")).toBe(stored.content);
  expect(page.text("reasoning")).toBe(stored.chainOfThought);
  expect(page.text("roles")).toBe("user,assistant");

  // An answer that has ended comes once too, with the same parts as from the conversation.
  const again = await reopened(conversationId);
  await again.shows("answer", stored.content);
  await again.shows("status", "ready");
  expect(again.text("roles")).toBe("user,assistant");
  expect(again.text("reasoning")).toBe(stored.chainOfThought);
});

test("an answer that ended after the page had read the conversation is not lost", async () => {
  const { page: first, created } = await openChat();
  first.click("send");
  await first.shows("answer", /take my time/);
  const [conversationId = ""] = created;
  const { conversation } = await clientOf().conversations.get({ conversationId });
  await first.shows("status", "ready");
  first.unmount();
  const page = await reopened(conversationId, { messages: toChatMessages(conversation) });
  await page.shows("answer", (await storedAnswer(conversationId)).content);
  expect(page.text("roles")).toBe("user,assistant");
});

test("stop leaves the answer, which a resume brings back; cancel ends it", async () => {
  const { page, created } = await openChat();
  page.click("send");
  await page.shows("answer", /take my time/);
  page.click("stop");
  await page.shows("status", "ready");
  const shown = page.text("answer");
  page.click("resume");
  await page.shows("status", "streaming");
  await page.shows("status", "ready");
  const [conversationId = ""] = created;
  const stored = await storedAnswer(conversationId);
  expect(stored.status).toBe("succeeded");
  expect(stored.content.length).toBeGreaterThan(shown.length);
  expect(page.text("answer")).toBe(stored.content);

  page.click("send");
  await page.shows("roles", "user,assistant,user,assistant");
  await page.shows("answer", /take my time/);
  page.click("cancel");
  await page.shows("status", "ready");
  const cancelled = await storedAnswer(conversationId);
  expect(cancelled.status).toBe("cancelled");
  expect(page.text("answer")).toBe(cancelled.content);
  const { conversation } = await clientOf().conversations.get({ conversationId });
  expect(toChatMessages(conversation).at(-1)?.parts).toContainEqual({
    type: "text",
    text: cancelled.content,
  });
});

test("the last answer is regenerated as a new version", async () => {
  const { page, created } = await openChat({ agentId: "helper" });
  page.click("send");
  await page.shows("answer", /^You said/);
  await page.shows("status", "ready");
  const first = await storedAnswer(created[0] ?? "");
  page.click("regenerate");
  await page.shows("ids", new RegExp(`,(?!${first.sId})`));
  await page.shows("status", "ready");
  const second = await storedAnswer(created[0] ?? "");
  expect(second).toMatchObject({ version: 1, status: "succeeded" });
  expect(page.text("answer")).toBe(second.content);
  expect(page.text("ids").split(",").at(-1)).toBe(second.sId);
});

test("a question beside a call that waits for approval is answered first", async () => {
  const agentId = await approvingAgent(server(), { asks: true });
  const { page, created } = await openChat({ agentId });
  page.click("send");
  await page.shows("call", "input-available");
  const [conversationId = ""] = created;
  const parley = clientOf();
  const list = parley.conversations.listBlockedActions;
  await expect
    .poll(async () => (await list({ conversationId })).blockedActions)
    .toMatchObject([{}, { question: { question: "Why?" } }]);
  const [, { actionId, messageId } = { actionId: "", messageId: "" }] = (
    await list({ conversationId })
  ).blockedActions;
  const answer = { selectedOptions: [], customResponse: "It is broken" };
  const reply = (said: typeof answer) =>
    parley.messages.answerQuestion({ conversationId, messageId, actionId, answer: said });
  await reply(answer);
  expect(await reply(answer)).toEqual({ success: true });
  const other = reply({ ...answer, customResponse: "It works" });
  await expect(other).rejects.toThrow(
    /the question was already answered, by .+ at 2.+Z, differently/,
  );
  await page.shows("call", "approval-requested");
  page.click("approve");
  await page.shows("call", "output-available");
  await page.shows("answer", /Done/);
  await page.shows("status", "ready");
});

test.for([
  { act: "approve", isReopened: false, state: "output-available", status: "succeeded" },
  { act: "approve", isReopened: true, state: "output-available", status: "succeeded" },
  { act: "reject", isReopened: true, state: "output-denied", status: "denied" },
])("a call waits for $act, on a new page: $isReopened", async ({ act, isReopened, ...end }) => {
  const agentId = await approvingAgent(server());
  const { page: first, created } = await openChat({ agentId });
  first.click("send");
  await first.shows("call", "approval-requested");
  await first.shows("status", "ready");
  const [conversationId = ""] = created;
  const page = isReopened ? await reopened(conversationId, { agentId }) : first;
  await page.shows("call", "approval-requested");
  await page.shows("status", "ready");
  page.click(act);
  await page.shows("call", end.state);
  await page.shows("answer", /Done/);
  await page.shows("status", "ready");
  const stored = await storedAnswer(conversationId);
  expect(stored.actions.map(({ status }) => status)).toEqual([end.status]);
  expect(page.text("answer")).toBe(stored.content);
  expect(page.text("roles")).toBe("user,assistant");

  const { conversation } = await clientOf().conversations.get({ conversationId });
  const read = toChatMessages(conversation).at(-1)?.parts ?? [];
  expect(read).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "One moment. " },
    { type: "dynamic-tool", state: end.state, input: { order: "4711" } },
    { type: "step-start" },
    { type: "text", text: expect.stringMatching(/^Done/) },
  ]);

  // What was decided is not asked for again.
  const later = await reopened(conversationId, { agentId });
  await later.shows("answer", stored.content);
  await later.shows("call", end.state);
  await later.shows("status", "ready");
});

test("failures are errors of the chat", async () => {
  const { page: failing } = await openChat({ agentId: "faulty" });
  failing.click("send");
  await failing.shows("status", "error");
  expect(failing.text("error")).toBe("This agent always fails");
  expect(failing.text("answer")).toBe("I will try, but ");

  const { page: nobody } = await openChat({ agentId: "nobody" });
  nobody.click("send");
  await nobody.shows("error", "The workspace has no active agent nobody");
});

test("what a conversation cannot do is refused before anything is sent", async () => {
  const transport = createChatTransport({ parley: clientOf(), agentId: "helper" });
  const text = { type: "text" as const, text: "Hello!" };
  const file = { type: "file" as const, mediaType: "text/plain", url: "data:,a" };
  const send = async (parts: ChatMessage["parts"], messageId?: string) =>
    transport.sendMessages({
      chatId: "c",
      trigger: "submit-message",
      messageId,
      messages: [{ id: "m", role: "user", parts }],
      abortSignal: undefined,
    });
  await expect(send([text, file])).rejects.toThrow("Files are not sent");
  await expect(send([text], "m")).rejects.toThrow("cannot be edited");
  expect(await transport.reconnectToStream({ chatId: "c" })).toBe(null);
});
