import type { Endpoints } from "@parley/schema";
import type * as z from "zod";
import {
  agent,
  answer,
  created,
  file,
  fragment,
  invocation,
  sandboxFunction,
  skill,
  space,
  summary,
  userMessage,
  waitingAnswer,
} from "./example-values.ts";

type Given<E, K extends string, Io extends "input" | "output"> = E extends {
  readonly [P in K]: infer S extends z.ZodType;
}
  ? { readonly [P in K]: Io extends "input" ? z.input<S> : z.output<S> }
  : unknown;

/** A request of an endpoint beside its path, and what is answered. */
type Example<E> = Given<E, "body", "input"> &
  Given<E, "output", "output"> &
  Given<E, "event", "output"> & {
    readonly query?: Readonly<Record<string, string>>;
  };

type HttpEndpoints = {
  [N in keyof Endpoints as Endpoints[N] extends { kind: "rpc" } ? never : N]: Endpoints[N];
};

/** An example of each operation of the public interface. */
export const examples: { readonly [N in keyof HttpEndpoints]: Example<HttpEndpoints[N]> } = {
  "conversations.create": {
    body: {
      message: {
        content: "Hello!",
        mentions: [{ configurationId: "helper" }],
        context: { username: "ada", timezone: "Europe/London" },
      },
      blocking: false,
    },
    output: {
      conversation: {
        ...summary,
        requestedGroupIds: [],
        content: [[userMessage], [{ ...waitingAnswer, error: null }]],
      },
      message: userMessage,
    },
  },
  "conversations.list": {
    query: { limit: "20" },
    output: {
      conversations: [{ ...summary, requestedGroupIds: [] }],
      hasMore: false,
      lastValue: null,
    },
  },
  "conversations.get": {
    output: {
      conversation: { ...summary, requestedGroupIds: [], content: [[userMessage], [answer]] },
    },
  },
  "conversations.update": { body: { title: "A greeting" }, output: { success: true } },
  "conversations.delete": { output: { success: true } },
  "conversations.cancel": { body: { messageIds: ["Vn4tR9sWy1"] }, output: { success: true } },
  "conversations.events": {
    event: {
      type: "agent_message_done",
      created,
      conversationId: "Kd82jXq0Pz",
      configurationId: "helper",
      messageId: "Vn4tR9sWy1",
      status: "success",
    },
  },
  "contentFragments.create": {
    body: { title: "Opening hours", content: "We open at nine.", contentType: "text/plain" },
    output: { contentFragment: { ...fragment, generatedTables: [] } },
  },
  "messages.create": {
    body: { content: "And now?", mentions: [{ configurationId: "helper" }] },
    output: { message: userMessage, agentMessages: [waitingAnswer] },
  },
  "messages.retry": { output: { message: { ...waitingAnswer, version: 1 } } },
  "messages.validateAction": {
    body: { actionId: "act_Wd6Jp1Xc4S", approved: "approved" },
    output: { success: true },
  },
  "messages.events": {
    event: {
      type: "generation_tokens",
      created,
      configurationId: "helper",
      messageId: "Vn4tR9sWy1",
      step: 0,
      text: "You said: ",
      classification: "tokens",
    },
  },
  "files.create": {
    body: {
      contentType: "text/plain",
      fileName: "hours.txt",
      fileSize: 16,
      useCase: "conversation",
    },
    output: { file },
  },
  "files.upload": {
    query: { expires: "1780003600000", signature: "c2lnbmF0dXJl" },
    output: { file: { ...file, status: "ready" } },
  },
  "files.get": {},
  "skills.list": { query: { status: "active" }, output: { skills: [skill] } },
  "skills.import": {
    body: { onConflict: "override", status: "active" },
    output: {
      imported: [
        {
          sId: "skl_Bp9Fj3Rt6A",
          name: "greeting",
          filePath: "greeting/SKILL.md",
          reason: "The workspace had no skill of this name",
        },
      ],
      updated: [],
      skipped: [],
    },
  },
  "sandboxFunctions.list": {
    query: { limit: "100" },
    output: { sandboxFunctions: [sandboxFunction], hasMore: false, lastValue: null },
  },
  "sandboxFunctions.invoke": {
    body: { input: { a: 1, b: 2 }, context: { timezone: "Europe/London" } },
    output: {
      invocation: { ...invocation, status: "succeeded" },
      outcome: { status: "succeeded", result: { sum: 3 } },
    },
  },
  "sandboxFunctions.events": {
    query: { include: "log,progress" },
    event: { type: "sandbox_function_invocation_created", created, invocation },
  },
  "invocations.list": {
    query: { limit: "20" },
    output: { invocations: [invocation], hasMore: false, lastValue: null },
  },
  "invocations.get": {
    output: {
      invocation: { ...invocation, status: "succeeded" },
      outcome: { status: "succeeded", result: { sum: 3 } },
    },
  },
  "invocations.cancel": {
    output: {
      invocation: { ...invocation, status: "errored" },
      outcome: {
        status: "errored",
        error: { code: "cancelled", message: "The invocation was cancelled" },
      },
    },
  },
  "spaces.list": { output: { spaces: [space] } },
  "agents.list": { query: { view: "all" }, output: { agentConfigurations: [agent] } },
};

/** The example of an endpoint by its name in the table. */
export function exampleOf(name: string): {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly output?: unknown;
  readonly event?: unknown;
} {
  const example = (examples as Readonly<Record<string, object>>)[name];
  if (example === undefined) throw new Error(`${name} has no example`);
  return example;
}
