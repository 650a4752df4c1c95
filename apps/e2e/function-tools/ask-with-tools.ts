import type { FunctionTool, InputOf, endpoints } from "@parley/schema";
import { readFrames } from "../frames.ts";
import { answersOf, createCalls, eventIn, mentionOf, type SeenEvent } from "../siblings/calls.ts";
import { messageFrame } from "../siblings/sibling-shapes.ts";
import type { Server } from "../server.ts";

/** Tools of an application, as it sends them. */
export const weather = {
  name: "get_weather",
  description: "Tells the weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} satisfies Partial<FunctionTool>;
export const clock = { name: "get_time", description: "Tells the time" };

type Outputs = InputOf<(typeof endpoints)["messages.sendToolOutputs"]>["outputs"];

/** A place of an answer. */
export interface Asked {
  readonly cId: string;
  readonly mId: string;
}

/** Asks agents with tools of the application, and sends what the calls of these are answered. */
export function createToolAsker(server: () => Pick<Server, "url" | "demo">) {
  const calls = createCalls(server);
  const tail = ({ cId, mId }: Asked) => `/${cId}/messages/${mId}`;
  return {
    calls,
    ask: async (agentId: string, more: object = {}): Promise<Asked> => {
      const mentions = mentionOf(agentId);
      const message = { content: "How is it?", mentions, functionTools: [weather, clock], ...more };
      const response = await calls.call("POST", "", { json: { message } });
      const { conversation } = JSON.parse(response.text) as {
        conversation: { sId: string; content: { sId: string }[][] };
      };
      return { cId: conversation.sId, mId: conversation.content.at(-1)!.at(-1)!.sId };
    },
    /** Reads the events of an answer up to `count` calls that wait for an output. */
    callsOf: async (asked: Asked, count = 1): Promise<SeenEvent[]> => {
      const found: SeenEvent[] = [];
      const stream = await calls.stream(`${tail(asked)}/events?include=function_calls`);
      for await (const frame of readFrames(stream)) {
        const event = eventIn(frame, messageFrame);
        if (event.data.type === "tool_output_required") found.push(event);
        if (found.length === count) break;
      }
      return found;
    },
    send: async (asked: Asked, outputs: Outputs, more: object = {}) =>
      calls.call("POST", `${tail(asked)}/tool-outputs`, { json: { outputs }, ...more }),
    /** Waits for the end of an answer, and gives it. */
    endOf: async (asked: Asked) => {
      const types: string[] = [];
      for await (const { data } of readFrames(await calls.stream(`${tail(asked)}/events`))) {
        types.push((data as unknown as SeenEvent).data.type);
      }
      const answers = answersOf(await calls.get(asked.cId));
      const answer = answers.find(({ sId }) => sId === asked.mId);
      return { answer, types };
    },
  };
}
