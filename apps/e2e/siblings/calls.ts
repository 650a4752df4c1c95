import { createRpcClient } from "parley-client";
import {
  type AgentMessage,
  type Conversation,
  CreatedConversation,
  endpoints,
  PostedMessage,
  type SimulatedScript,
} from "@parley/schema";
import { type Frame, readFrames } from "../frames.ts";
import { type Answer, jsonOf, open, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { expectShape, type Shape } from "../shape.ts";
import { createdConversation } from "../conformance/wire-shapes.ts";
import { gottenConversation, postedMessage } from "./sibling-shapes.ts";

/** The JSON of an answer of status 200 that has exactly this shape. */
export function answerIn<T>(
  answer: Answer,
  { shape, schema }: { shape: Shape; schema: { parse(value: unknown): T } },
): T {
  const { raw, parsed } = jsonOf(answer, schema);
  expectShape(raw, shape);
  return parsed;
}

export const mentionOf = (...agents: string[]) =>
  agents.map((configurationId) => ({ configurationId }));

type Options = Pick<Request, "key" | "headers" | "json" | "signal">;

/** Calls the siblings of the create operation in the demo workspace, and checks what they answer. */
export function createCalls(server: () => Pick<Server, "url" | "demo">) {
  const root = () => pathsOf(server()).conversations;
  const call = (method: string, tail: string, options: Options = {}) =>
    send(server(), { method, path: root() + tail, ...options });
  return {
    /** Calls below the path of conversations. */
    call,
    create: async (content: string, agents: string[] = [], further: object = {}) => {
      const message = { content, mentions: mentionOf(...agents) };
      const answer = await call("POST", "", { json: { message, ...further } });
      return answerIn(answer, { shape: createdConversation, schema: CreatedConversation });
    },
    get: async (cId: string, key?: string): Promise<Conversation> => {
      const answer = await call("GET", `/${cId}`, key === undefined ? {} : { key });
      const schema = endpoints["conversations.get"].output;
      return answerIn(answer, { shape: gottenConversation, schema }).conversation;
    },
    post: async (cId: string, body: object): Promise<PostedMessage> => {
      const answer = await call("POST", `/${cId}/messages`, { json: body });
      return answerIn(answer, { shape: postedMessage, schema: PostedMessage });
    },
    /** Opens the stream behind a path below that of conversations. */
    stream: async (tail: string, options: Options = {}): Promise<Response> => {
      const path = (root() + tail).replace("/api/", "/api/sse/");
      return open(server(), { path, ...options });
    },
    rpc: () => createRpcClient({ url: server().url, apiKey: server().demo.adminKey }),
    operator: () => createRpcClient({ url: server().url, apiKey: server().demo.operatorKey }),
    /** Creates an agent of the simulated provider, and gives its id. */
    createAgent: async (name: string, script: SimulatedScript): Promise<string> => {
      const rpc = createRpcClient({ url: server().url, apiKey: server().demo.adminKey });
      const { agentConfiguration } = await rpc.agents.create.mutate({
        wId: server().demo.workspaceId,
        name,
        description: "",
        model: { providerId: "simulated", modelId: "simulated-1" },
        script,
      });
      return agentConfiguration.sId;
    },
  };
}

/** The agent messages of a conversation, in their current version. */
export function answersOf({ content }: Conversation): AgentMessage[] {
  return content
    .map((versions) => versions.at(-1))
    .filter((message) => message?.type === "agent_message");
}

/** The event in a frame of an enveloped stream. */
export interface SeenEvent {
  readonly eventId: string;
  readonly data: Record<string, unknown> & { readonly type: string };
}

/** The event of a frame, whose every member is what the interface says. */
export function eventIn({ data }: Frame, shape: Shape): SeenEvent {
  expectShape(data, shape);
  return data as unknown as SeenEvent;
}

/** Reads a stream until an event of it is the one, or to its end. */
export async function readUntil(
  response: Response,
  shape: Shape,
  isLast: (event: SeenEvent) => boolean = () => false,
): Promise<SeenEvent[]> {
  const events: SeenEvent[] = [];
  for await (const frame of readFrames(response)) {
    const event = eventIn(frame, shape);
    events.push(event);
    if (isLast(event)) break;
  }
  return events;
}

/** The published text of an answer. */
export function textOf(events: readonly SeenEvent[]): string {
  return events
    .filter(({ data }) => data.type === "generation_tokens" && data["classification"] === "tokens")
    .map(({ data }) => String(data["text"]))
    .join("");
}
