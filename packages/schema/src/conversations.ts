import * as z from "zod";
import { CreateContentFragment } from "./content-fragments.ts";
import {
  ConversationMessage,
  CreateMessage,
  SpecifiedConversationMessage,
  UserMessage,
} from "./messages.ts";
import { Milliseconds, optional, Reference, text } from "./text.ts";
import { Warning } from "./warnings.ts";
import { Workspace } from "./workspaces.ts";

const shape = {
  id: z.int().describe("Number of the conversation"),
  sId: z.string().describe("Id of the conversation"),
  created: Milliseconds.describe("When the conversation was made"),
  updated: Milliseconds.describe("When the conversation last changed"),
  owner: Workspace.describe("The workspace"),
  title: z.string().describe("Title of the conversation"),
  visibility: z.enum(["unlisted", "workspace", "deleted", "test"]).describe("Who sees it"),
  unread: z.boolean().describe("Whether there is something new since it was last read"),
  actionRequired: z.boolean().describe("Whether an agent waits for an approval"),
  url: z.string().describe("Absolute address of the conversation"),
  requestedGroupIds: z.array(z.unknown()).describe("Always empty"),
};

const content = "Messages by position; the last of each inner array is the current version";

/** A conversation with its messages. */
export const Conversation = z.object({
  ...shape,
  content: z.array(z.array(ConversationMessage)).describe(content),
});
export type Conversation = z.infer<typeof Conversation>;

export const SpecifiedConversation = z.object({
  ...shape,
  content: z.array(z.array(SpecifiedConversationMessage)).describe(content),
});
export type SpecifiedConversation = z.infer<typeof SpecifiedConversation>;

/** Body of the create operation. */
export const CreateConversation = z.object({
  message: CreateMessage.describe("First message of the conversation"),
  contentFragments: optional(z.array(CreateContentFragment).max(100)).describe(
    "Context that comes before the message",
  ),
  title: optional(text(512)).describe("Title; the first words of the message by default"),
  skipToolsValidation: optional(z.boolean()).describe("Whether tools run without validation"),
  blocking: optional(z.boolean()).describe("Whether to wait for the agents' answers"),
  spaceId: optional(Reference).describe("Space of the conversation; outside spaces by default"),
});
export type CreateConversation = z.output<typeof CreateConversation>;

export const CreatedConversation = z.object({
  conversation: SpecifiedConversation.describe("The new conversation"),
  message: UserMessage.describe("The user message"),
  warnings: z.array(Warning).optional().describe("Mentions that resolved to no agent"),
});
export type CreatedConversation = z.infer<typeof CreatedConversation>;

/** A conversation without its messages. */
export const ConversationSummary = z.object(shape);
export type ConversationSummary = z.infer<typeof ConversationSummary>;

/** Query of the listing of conversations. */
export const ListConversations = z.object({
  limit: optional(z.coerce.number().pipe(z.int().min(1).max(100)))
    .transform((limit) => limit ?? 20)
    .describe("Conversations of a page, 1 to 100; 20 by default"),
  lastValue: optional(
    z.string().regex(/^\d{1,15}$/, { error: "must be a lastValue of a page" }),
  ).describe("The page after the one that answered this value"),
});
export type ListConversations = z.output<typeof ListConversations>;

/** One page of conversations. */
export const ConversationPage = z.object({
  conversations: z.array(ConversationSummary).describe("Conversations, the newest first"),
  hasMore: z.boolean().describe("Whether there is a page after this one"),
  lastValue: z.string().nullable().describe("What the next page is asked for with"),
});
export type ConversationPage = z.infer<typeof ConversationPage>;

/** Body of the update of a conversation: either member, or both. */
export const UpdateConversation = z
  .object({
    read: optional(z.literal(true)).describe("Marks the conversation as read"),
    title: optional(text(512, 1)).describe("New title"),
  })
  .refine((update) => update.read !== undefined || update.title !== undefined, {
    error: "must have read: true, or title",
  });
export type UpdateConversation = z.output<typeof UpdateConversation>;
