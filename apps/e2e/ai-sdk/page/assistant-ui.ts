import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import { AssistantChatTransport, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { createElement, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

// A page of assistant-ui, with its own transport.

const { api, token } = JSON.parse(decodeURIComponent(location.hash.slice(1))) as {
  api: string;
  token: string;
};
const headers = { Authorization: `Bearer ${token}` };
const transport = new AssistantChatTransport({ api, headers });

const Text = ({ text }: { text: string }): ReactNode => text;

function messageOf(role: string) {
  return function Message(): ReactNode {
    return createElement(
      MessagePrimitive.Root,
      null,
      createElement(
        "p",
        { "data-testid": role },
        createElement(MessagePrimitive.Parts, { components: { Text } }),
      ),
      role === "assistant" &&
        createElement(
          ActionBarPrimitive.Root,
          null,
          createElement(ActionBarPrimitive.Reload, null, "Again"),
        ),
    );
  };
}

const UserMessage = messageOf("user");
const AssistantMessage = messageOf("assistant");

function Page(): ReactNode {
  const runtime = useChatRuntime({ transport });
  return createElement(
    AssistantRuntimeProvider,
    { runtime },
    createElement(
      ThreadPrimitive.Root,
      null,
      createElement(ThreadPrimitive.Messages, { components: { UserMessage, AssistantMessage } }),
      createElement(
        ComposerPrimitive.Root,
        null,
        createElement(ComposerPrimitive.Input, { "aria-label": "Message" }),
        createElement(ComposerPrimitive.Send, null, "Send"),
      ),
    ),
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(createElement(Page));
