import { type ShownConversation, useConversation, type UseConversation } from "parley-client/react";
import type { ReactNode } from "react";
import { button, show } from "./page.ts";

export interface ChatOptions extends UseConversation {
  readonly question?: string;
  readonly onRender?: (shown: ShownConversation) => void;
}

/** A chat, as an application would write it. */
export function Chat({ question = "Hello!", onRender, ...options }: ChatOptions): ReactNode {
  const chat = useConversation(options);
  onRender?.(chat);
  const answer = chat.messages.findLast(({ type }) => type === "agent_message");
  const { cancel, send, retry, decide, answer: reply, reload } = chat;
  const [approval] = chat.approvals;
  const [asked] = chat.questions;
  return [
    show("status", chat.status),
    show("id", chat.conversationId),
    show("types", chat.messages.map(({ type }) => type).join()),
    show("answer", answer?.type === "agent_message" ? answer.content : ""),
    show("outcome", answer?.type === "agent_message" ? answer.status : ""),
    show("failure", answer?.type === "agent_message" ? answer.error?.code : ""),
    show("approvals", chat.approvals.map(({ metadata }) => metadata.toolName).join()),
    show("questions", chat.questions.map((one) => one.question.question).join()),
    show("reconnecting", chat.isReconnecting),
    show("error", chat.error?.message ?? "none"),
    button("send", () => send(question)),
    button("cancel", cancel),
    button("retry", () => retry(answer?.sId ?? "")),
    button("approve", () => approval && decide(approval, "approved")),
    button("reject", () => approval && decide(approval, "rejected")),
    button("choose", () => asked && reply(asked, { selectedOptions: [1] })),
    button("say", () => asked && reply(asked, "In red")),
    button("say nothing", () => asked && reply(asked, "")),
    button("reload", reload),
  ];
}
