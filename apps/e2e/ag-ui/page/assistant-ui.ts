import { HttpAgent } from "@ag-ui/client";
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import {
  useAgUiInterrupts,
  useAgUiRuntime,
  type UseAgUiRuntimeOptions,
  useAgUiSubmitInterruptResponses,
} from "@assistant-ui/react-ag-ui";
import { createElement, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

// A page of assistant-ui with its runtime for AG-UI: nothing of Parley, but a URL and a token.

const { url, token, threadId } = JSON.parse(decodeURIComponent(location.hash.slice(1))) as {
  url: string;
  token: string;
  threadId: string;
};
const headers = { Authorization: `Bearer ${token}` };
// The runtime has the types of the protocol's client before 1.0.
const agent = new HttpAgent({
  url,
  threadId,
  headers,
}) as unknown as UseAgUiRuntimeOptions["agent"];

const show = (id: string, value: unknown) =>
  createElement("span", { "data-testid": id }, String(value));

const Text = ({ text }: { text: string }): ReactNode => show("text", text);
const Call = (call: { toolName: string; args: unknown; result?: unknown }): ReactNode =>
  show("call", JSON.stringify([call.toolName, call.args, call.result ?? null]));

const messageOf = (role: string) =>
  function Message(): ReactNode {
    const components = { Text, tools: { Fallback: Call } };
    return createElement(
      MessagePrimitive.Root,
      null,
      createElement(
        "p",
        { "data-testid": role },
        createElement(MessagePrimitive.Parts, { components }),
      ),
    );
  };
const UserMessage = messageOf("user");
const AssistantMessage = messageOf("assistant");

/** What waits for a person, with a button for each decision. */
function Interrupts(): ReactNode {
  const interrupts = useAgUiInterrupts();
  const submit = useAgUiSubmitInterruptResponses();
  const decide = (approved: boolean) =>
    submit(
      interrupts.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved } })),
    );
  if (interrupts.length === 0) return show("interrupts", "none");
  return [
    show("interrupts", interrupts.map(({ message }) => message).join()),
    createElement("button", { onClick: () => void decide(true) }, "Approve"),
    createElement("button", { onClick: () => void decide(false) }, "Reject"),
  ];
}

function Page(): ReactNode {
  const runtime = useAgUiRuntime({ agent });
  return createElement(
    AssistantRuntimeProvider,
    { runtime },
    createElement(
      ThreadPrimitive.Root,
      null,
      createElement(ThreadPrimitive.Messages, { components: { UserMessage, AssistantMessage } }),
      createElement(Interrupts),
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
