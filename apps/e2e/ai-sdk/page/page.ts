import { type UIMessage, useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from "ai";
import { createElement, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

// A page as an application would have it: nothing of Parley, but a URL and a token.

const { api, token, chatId } = JSON.parse(decodeURIComponent(location.hash.slice(1))) as {
  api: string;
  token: string;
  chatId: string;
};
const headers = { Authorization: `Bearer ${token}` };
const transport = new DefaultChatTransport({ api: `${api}?ended=replay`, headers });

const show = (id: string, value: unknown) =>
  createElement("p", { key: id, "data-testid": id }, String(value));
const button = (id: string, act: () => unknown) =>
  createElement("button", { key: id, onClick: () => void act() }, id);

function Chat({ initial }: { initial: UIMessage[] }): ReactNode {
  const chat = useChat({
    id: chatId,
    messages: initial,
    transport,
    resume: initial.length > 0,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const last = chat.messages.at(-1);
  const parts = last?.role === "assistant" ? last.parts : [];
  const text = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
  const call = parts.findLast(isToolUIPart);
  const decide = (approved: boolean) =>
    call?.approval && chat.addToolApprovalResponse({ id: call.approval.id, approved });
  return [
    show("status", chat.status),
    show("roles", chat.messages.map(({ role }) => role).join()),
    show("answer", text),
    show("call", call?.state),
    show("error", chat.error?.message ?? "none"),
    show("messages", JSON.stringify(chat.messages)),
    button("send", () => chat.sendMessage({ text: "Hello!" })),
    button("edit", () => {
      const messageId = chat.messages.find(({ role }) => role === "user")?.id;
      return messageId && chat.sendMessage({ text: "Goodbye!", messageId });
    }),
    button("regenerate", () => chat.regenerate()),
    button("resume", () => chat.resumeStream()),
    button("approve", () => decide(true)),
    button("reject", () => decide(false)),
  ];
}

const response = await fetch(`${api}/${encodeURIComponent(chatId)}/messages`, { headers });
const { messages } = (await response.json()) as { messages: UIMessage[] };
createRoot(document.body.appendChild(document.createElement("div"))).render(
  createElement(Chat, { initial: messages }),
);
