import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";

/** Characters at the beginning of a message that are searched. */
export const SEARCHED_CHARACTERS = 65_536;
/** Characters of a query at most. */
export const MAX_QUERY_CHARACTERS = 512;

/** Who wrote a found message. */
export const FoundMessageType = z.enum(["user_message", "agent_message"]);
/** How a found answer ended. */
export const FoundMessageStatus = z.enum(["succeeded", "failed", "cancelled"]);

/** Which messages to find. */
export const SearchMessages = WorkspaceParams.extend({
  query: text(MAX_QUERY_CHARACTERS, 1)
    .describe(
      'Words that all occur, in any case; the last one may be a prefix. "…" for words in this order, OR between ' +
        "alternatives, - before what must not occur",
    )
    .meta({ example: 'refund "late delivery"' }),
  type: optional(FoundMessageType).describe("Only messages of users, or only answers of agents"),
  agentId: optional(Reference).describe("Only answers of this agent"),
  status: optional(FoundMessageStatus).describe("Only answers that ended so"),
  conversationId: optional(Reference).describe("Only messages of this conversation"),
  from: optional(TimeFromQuery).describe("Only messages that were created at or after this time"),
  to: optional(TimeFromQuery).describe("Only messages that were created before this time"),
  ...pageQuery("Messages", {
    defaultLimit: 20,
    place: placeLike(/^\d{1,15}\.[A-Za-z0-9]{1,64}$/),
  }),
});
export type SearchMessages = z.output<typeof SearchMessages>;

const named = { sId: z.string().describe("Id"), name: z.string().describe("Name") };

/** A part of a text that a word of the query was found in. */
export const Highlight = z.object({
  start: z.int().describe("Where it begins, in UTF-16 code units").meta({ example: 4 }),
  end: z.int().describe("Where it ends").meta({ example: 10 }),
});
export type Highlight = z.infer<typeof Highlight>;

/** A found message. */
export const FoundMessage = z.object({
  sId: z.string().describe("Id of the message").meta({ example: "Vn4tR9sWy1" }),
  type: FoundMessageType.describe("Who wrote it").meta({ example: "agent_message" }),
  status: FoundMessageStatus.nullable()
    .describe("How an answer ended; null for a message of a user")
    .meta({ example: "succeeded" }),
  createdAt: Milliseconds.describe("When it was created"),
  agent: z.object(named).nullable().describe("The agent that answered").meta({ example: null }),
  conversation: z
    .object({
      sId: z.string().describe("Id").meta({ example: "Kd82jXq0Pz" }),
      title: z.string().describe("Title").meta({ example: "A refund" }),
    })
    .describe("The conversation that it is in"),
  excerpt: z
    .string()
    .describe("The part of the text around the first found word")
    .meta({ example: "The refund was sent yesterday." }),
  highlights: z.array(Highlight).describe("The found words in the excerpt"),
});
export type FoundMessage = z.infer<typeof FoundMessage>;

/** How far messages are indexed. */
export const MessageIndexState = z.object({
  indexedUntil: Milliseconds.nullable().describe(
    "Messages that were stored before this time are found, and answers that had ended; null before any is indexed",
  ),
  isComplete: z
    .boolean()
    .describe("Whether older messages are all indexed too; false for a while after an upgrade"),
});
export type MessageIndexState = z.infer<typeof MessageIndexState>;

/** A page of found messages. */
export const FoundMessagePage = z.object({
  messages: z
    .array(FoundMessage)
    .describe(
      "Messages, newest first; a page may have fewer than asked for although there are more",
    ),
  ...MessageIndexState.shape,
  ...pageEnd,
});
export type FoundMessagePage = z.infer<typeof FoundMessagePage>;
