import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";

export const ConversationState = z.enum([
  "unanswered",
  "running",
  "blocked",
  "succeeded",
  "errored",
  "cancelled",
]);

const named = { sId: z.string().describe("Id"), name: z.string().describe("Name") };

/** A conversation as those who administer its workspace see it, without its messages. */
export const ListedConversation = z.object({
  sId: z.string().describe("Id of the conversation").meta({ example: "Kd82jXq0Pz" }),
  title: z.string().describe("Title").meta({ example: "A greeting" }),
  status: ConversationState.meta({
    description:
      "Status of its newest answer: `running`, `blocked` until a user decides, or how it ended; `unanswered` " +
      "without one",
    example: "succeeded",
  }),
  createdAt: Milliseconds.describe("When it was created"),
  lastActivityAt: Milliseconds.describe("When something last happened in it"),
  messageCount: z.int().describe("Messages, with all versions").meta({ example: 2 }),
  user: z.object(named).nullable().describe("The user who owns it"),
  agents: z.array(z.object(named)).describe("Agents that answered in it, by name"),
  spaceId: z.string().nullable().describe("Its space, if it is in one").meta({ example: null }),
});
export type ListedConversation = z.infer<typeof ListedConversation>;

/** Which conversations to list. */
export const ListAllConversations = WorkspaceParams.extend({
  title: optional(text(512, 1)).describe(
    "Only conversations whose title contains this, in any case. With this or another filter, a page may have " +
      "fewer than asked for although there are more",
  ),
  agentId: optional(Reference).describe("Only conversations in which this agent answered"),
  status: optional(ConversationState).describe(
    "Only conversations whose newest answer has this status",
  ),
  from: optional(TimeFromQuery).describe("Only those that were created at or after this time"),
  to: optional(TimeFromQuery).describe("Only those that were created before this time"),
  ...pageQuery("Conversations", { defaultLimit: 20, place: placeLike(/^\d{1,15}\.\d{1,15}$/) }),
});
export type ListAllConversations = z.output<typeof ListAllConversations>;

/** One page of the conversations of a workspace. */
export const ListedConversationPage = z.object({
  conversations: z.array(ListedConversation).describe("Conversations, newest first"),
  ...pageEnd,
});
export type ListedConversationPage = z.infer<typeof ListedConversationPage>;
