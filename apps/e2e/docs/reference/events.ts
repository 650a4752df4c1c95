import { conversationOptIn, invocationOptIn } from "@parley/core";
import {
  ClientServerMessage,
  ConversationEvent,
  exampleOf,
  InvocationEvent,
  MessageEvent,
  TerminalInvocationEvent,
  TerminalMessageEvent,
} from "@parley/schema";
import type * as z from "zod";
import { anchorOf, type EndpointPages } from "./endpoints.ts";
import type { JsonSchema } from "./open-api.ts";
import { renderModel, renderObject } from "./rows.ts";
import { modelOf, type Names, optionsOf } from "./types.ts";

type EventType = MessageEvent["type"] | ConversationEvent["type"] | InvocationEvent["type"];

/** When each event comes. */
const meanings: Readonly<Record<EventType, string>> = {
  generation_tokens:
    "The model has written text. With the classification `tokens` it is part of the answer; `chain_of_thought` is the " +
    "model's reasoning.",
  tool_params: "A tool call begins.",
  tool_approve_execution: "A tool call waits for a person to approve or reject it.",
  tool_ask_user_question: "The agent asks its user a question, and waits for the answer.",
  tool_personal_auth_required: "A tool call waits until its user authorizes the tool's server.",
  tool_output_required: "A call of one of the application's own tools waits for its output.",
  agent_action_success: "A tool call has ended.",
  agent_message_notes: "The model was not given something as it was sent.",
  agent_message_fallback: "Another model answers a step in place of the agent's own.",
  agent_message_budget: "A call of the answer found a soft budget used up.",
  agent_message_citations: "A search has found parts of documents.",
  agent_task_started: "The agent has given a task to another agent.",
  agent_task_call_decided: "A call of a task no longer waits.",
  agent_task_event: "A task of the answer has an event.",
  agent_message_success: "The answer is complete.",
  agent_error: "The answer has failed.",
  agent_generation_cancelled: "The answer was cancelled.",
  user_message_new: "A user's message was posted, or edited.",
  agent_message_new: "An answer begins: its own stream has the text.",
  agent_message_done: "An answer has ended.",
  conversation_compacted: "The oldest messages were summarized.",
  conversation_title: "The conversation has a new title.",
  sandbox_function_invocation_created: "The function was invoked.",
  sandbox_function_invocation_log: "The function has printed something.",
  sandbox_function_invocation_progress: "The function says how far it is.",
  sandbox_function_invocation_result: "The function has returned.",
  sandbox_function_invocation_error: "The function has failed.",
};

/** The `include` without which an event is not sent. */
const includes = new Map<string, string>([
  ...Object.entries({ ...conversationOptIn, ...invocationOptIn }).flatMap(([name, types]) =>
    types.map((type): [string, string] => [type, name]),
  ),
  // No log has it: it is read from the log of a task.
  ["agent_task_event", "children_events"],
]);

const terminal = new Set<string>(
  [...TerminalMessageEvent.options, ...TerminalInvocationEvent.options].map(
    ({ shape }) => shape.type.value,
  ),
);

type Option = z.ZodObject<{ type: z.ZodLiteral<EventType> }>;

interface Log {
  readonly heading: string;
  readonly model: string;
  readonly options: readonly z.ZodObject[];
  /** What the section says first. */
  readonly about: string;
}

const logs: readonly Log[] = [
  {
    heading: "Events of an answer",
    model: "MessageEvent",
    options: MessageEvent.options,
    about:
      "The stream [messages.events](endpoints/conversations.md#messagesevents) has them, each as " +
      '`{"eventId": "…", "data": {…}}`.',
  },
  {
    heading: "Events of a conversation",
    model: "ConversationEvent",
    options: ConversationEvent.options,
    about:
      "The stream [conversations.events](endpoints/conversations.md#conversationsevents) has them, each as " +
      '`{"eventId": "…", "data": {…}}`. It also has those of an answer that wait for somebody, without their `step`:',
  },
  {
    heading: "Events of an invocation",
    model: "InvocationEvent",
    options: InvocationEvent.options,
    about:
      "The stream [sandboxFunctions.events](endpoints/functions.md#sandboxfunctionsevents) has them as they are.",
  },
];

/** The page about the events: a section for each type, with its fields and an example. */
export function renderEvents({ models, linkBeside }: EndpointPages): string {
  const objects: string[] = [];
  const names: Names = {
    models,
    link: (name) => {
      const elsewhere = linkBeside(name);
      if (elsewhere !== undefined) return elsewhere;
      if (!objects.includes(name)) objects.push(name);
      return `[${name}](#${anchorOf(name)})`;
    },
  };
  const shown = new Set<string>();
  const sections = logs.map(({ heading, model, options, about }) => {
    const schemas = optionsOf(names.models[model] ?? {}).map(
      (option) => names.models[modelOf(option) ?? ""] ?? option,
    );
    const own: string[] = [];
    const earlier: string[] = [];
    for (const [index, option] of options.entries()) {
      const type = (option as Option).shape.type.value;
      if (shown.has(type)) earlier.push(`[\`${type}\`](#${type})`);
      else own.push(renderEvent(type, option, schemas[index] ?? {}, names));
      shown.add(type);
    }
    const also = earlier.length === 0 ? "" : ` ${earlier.join(", ")}.`;
    return `## ${heading}\n\n${about}${also}\n\n${own.join("\n\n")}`;
  });
  const messages = renderObject(models["ClientServerMessage"] ?? {}, names);
  // Models refer to further ones, which are added while the list is gone through.
  const described = [];
  for (const name of objects) {
    described.push(`### ${name}\n\n${renderModel(models[name] ?? {}, names)}`);
  }
  return `# Events

This page lists every event, with its fields and an example. [Streaming and resuming](../guide/streaming-and-resume.md)
describes the streams that have them: frames, numbers, reconnects. Names in **bold** are always present, and \`{…}\` and
\`[…]\` in an example stand for what is left out. Clients must skip events of types that they do not know.

${sections.join("\n\n")}

## Messages to a server in a client

The stream [clientServers.events](endpoints/tools.md#clientserversevents) has messages of JSON-RPC, each as
\`{"eventId": "…", "data": {…}}\`: see [tools in clients](../guide/client-tools.md).

${messages}

${renderExample(exampleOf(ClientServerMessage))}

## Events of webhooks

[Webhooks](../guide/webhooks.md#what-is-sent) lists the events that Parley sends to your server.

## Objects

${described.join("\n\n")}
`;
}

function renderEvent(
  type: EventType,
  option: z.ZodObject,
  schema: JsonSchema,
  names: Names,
): string {
  const include = includes.get(type);
  const { type: _type, ...properties } = schema.properties ?? {};
  const lines = [
    meanings[type],
    ...(include === undefined ? [] : [`Sent with \`include=${include}\` only.`]),
    ...(terminal.has(type) ? ["It is the last of its stream."] : []),
  ];
  return [
    `### ${type}`,
    lines.join(" "),
    renderObject({ ...schema, properties }, names),
    renderExample(exampleOf(option)),
  ].join("\n\n");
}

/** An example as a block, in which objects and lists within the first level are left out. */
function renderExample(example: unknown): string {
  if (example === undefined) throw new Error("A required field of an event has no example");
  const members = Object.entries(example as Record<string, unknown>).map(
    ([name, value]) => `${JSON.stringify(name)}: ${shorten(value)}`,
  );
  return `\`\`\`json\n{${members.join(", ")}}\n\`\`\``;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length < 120 || typeof value !== "object") return text;
  return Array.isArray(value) ? "[…]" : "{…}";
}
