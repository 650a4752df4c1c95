import * as z from "zod";
import { AnyJson } from "../parsing/json.ts";
import { fitsBytes, optional, Reference, ShortText, text, textOfBytes } from "../parsing/text.ts";

/** Bytes of a message, or of the JSON of an input, that is stored with what starts it. */
export const MAX_LAUNCH_BYTES = 64 * 1024;

const version = (what: string) =>
  z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe(`Version of the ${what}; null, the default, follows its changes`)
    .meta({ example: null });

/** An agent that answers in a conversation, a new one or one that there is. */
export const AgentTarget = z.object({
  agentId: Reference.describe("Id of the agent").meta({ example: "helper" }),
  agentVersion: version("agent"),
  conversationId: Reference.nullable()
    .default(null)
    .describe("Conversation that goes on; null, the default, begins a new one each time")
    .meta({ example: null }),
  title: optional(text(512)).describe(
    "Title of a new conversation; by default one that fits its message",
  ),
  spaceId: optional(Reference).describe("Space of a new conversation; outside spaces by default"),
  email: optional(ShortText.min(1)).describe(
    "E-mail address of the member whose conversation it is, and who is asked where a call needs an approval",
  ),
});

export type AgentTarget = z.output<typeof AgentTarget>;

/** A function that is invoked. */
export const FunctionTarget = z.object({
  functionId: Reference.describe("Id or slug of the function").meta({ example: "order-totals" }),
  functionVersion: version("function"),
});

export type FunctionTarget = z.output<typeof FunctionTarget>;

/** What is started each time, with what it is given; a new kind is one more member. */
export const launchMembers = {
  agent: optional(
    AgentTarget.extend({
      message: textOfBytes(MAX_LAUNCH_BYTES)
        .describe("Text of the message that the agent answers")
        .meta({ example: "Write the report of yesterday's orders." }),
    }),
  ).describe("The agent that answers, if it starts one"),
  function: optional(
    FunctionTarget.extend({
      input: AnyJson.default(null)
        .refine((value) => fitsBytes(JSON.stringify(value), MAX_LAUNCH_BYTES), {
          error: `must be at most ${MAX_LAUNCH_BYTES} bytes of JSON`,
        })
        .describe("Input of the function, at most 64 KiB of JSON")
        .meta({ example: { day: "yesterday" } }),
    }),
  ).describe("The function that is invoked, if it starts one"),
};

const Launch = z.object(launchMembers);
/** What is started: one of its members is there. */
export type Launch = z.output<typeof Launch>;
export type AgentLaunch = NonNullable<Launch["agent"]>;
export type FunctionLaunch = NonNullable<Launch["function"]>;

/** The kinds of what is started, each the name of its member. */
export const launchKinds = Object.keys(launchMembers) as (keyof Launch)[];
