import * as z from "zod";
import { exampleOf } from "../examples.ts";
import { PageLimit, pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";
import { Workspace } from "../workspaces/workspaces.ts";
import { CreateContentFragment } from "./content-fragments.ts";
import {
  AgentMessage,
  ConversationMessage,
  CreateMessage,
  SpecifiedAgentMessage,
  SpecifiedConversationMessage,
  UserMessage,
} from "./messages.ts";

const shape = {
  id: z.int().describe("Number of the conversation").meta({ example: 1 }),
  sId: z.string().describe("Id of the conversation").meta({ example: "Kd82jXq0Pz" }),
  created: Milliseconds.describe("When the conversation was created"),
  updated: Milliseconds.describe("When the conversation last changed"),
  owner: Workspace.describe("The workspace"),
  title: z.string().describe("Title of the conversation").meta({ example: "Hello!" }),
  visibility: z.enum(["unlisted", "workspace", "deleted", "test"]).describe("Who sees it"),
  unread: z.boolean().describe("Whether there are messages since it was last read"),
  actionRequired: z.boolean().describe("Whether an agent is waiting for approval"),
  url: z
    .string()
    .describe("Absolute URL of the conversation")
    .meta({ example: "https://parley.test/w/Ab3dE5fG7h/conversations/Kd82jXq0Pz" }),
  requestedGroupIds: z.array(z.unknown()).describe("Always empty"),
};

const content = "Messages by position; the last of each inner array is the current version";

const answer: AgentMessage = {
  ...exampleOf(AgentMessage),
  status: "succeeded",
  content: "You said: Hello!",
  rawContents: [{ step: 0, content: "You said: Hello!" }],
};

/** A conversation with its messages. */
export const Conversation = z.object({
  ...shape,
  content: z
    .array(z.array(ConversationMessage))
    .describe(content)
    .meta({ example: [[exampleOf(UserMessage)], [answer]] }),
});
export type Conversation = z.infer<typeof Conversation>;

export const SpecifiedConversation = z.object({
  ...shape,
  content: z
    .array(z.array(SpecifiedConversationMessage))
    .describe(content)
    .meta({ example: [[exampleOf(UserMessage)], [exampleOf(SpecifiedAgentMessage)]] }),
});
export type SpecifiedConversation = z.infer<typeof SpecifiedConversation>;

/** Body of the create operation. */
export const CreateConversation = z.object({
  message: CreateMessage.describe("First message of the conversation"),
  contentFragment: optional(CreateContentFragment).describe(
    "An additional fragment, placed before contentFragments",
  ),
  contentFragments: optional(z.array(CreateContentFragment).max(100)).describe(
    "Context that comes before the message",
  ),
  title: optional(text(512)).describe("Title; the first words of the message by default"),
  visibility: optional(z.enum(["unlisted", "workspace", "deleted", "test"])).describe(
    "Accepted but not stored: every conversation is unlisted",
  ),
  skipToolsValidation: optional(z.boolean()).describe("Whether tools run without validation"),
  blocking: optional(z.boolean())
    .describe("Whether to wait for the agents' answers")
    .meta({ example: false }),
  spaceId: optional(Reference).describe("Space of the conversation; outside spaces by default"),
  temporary: optional(z.boolean()).describe(
    "Whether it is in no list, and is erased within a minute once its answers have ended or wait for outputs",
  ),
});
export type CreateConversation = z.output<typeof CreateConversation>;

export const CreatedConversation = z.object({
  conversation: SpecifiedConversation.describe("The new conversation"),
  message: UserMessage.describe("The user message"),
  warnings,
});
export type CreatedConversation = z.infer<typeof CreatedConversation>;

/** A conversation without its messages. */
export const ConversationSummary = z.object(shape);
export type ConversationSummary = z.infer<typeof ConversationSummary>;

/** Query of the listing of conversations. */
export const ListConversations = z.object(
  pageQuery("Conversations", { defaultLimit: 20, place: placeLike(/^p\d{1,15}$/) }),
);
export type ListConversations = z.output<typeof ListConversations>;

/** Query to read a conversation: a page of it, if any parameter is given. */
export const GetConversation = z.object({
  limit: PageLimit.describe("Only the newest positions, 1 to 100; all by default"),
  lastValue: optional(placeLike(/^\d{1,9}\.\d{1,9}$/)).describe(
    "Position returned by a page: the positions before it",
  ),
});
export type GetConversation = z.output<typeof GetConversation>;

/** A conversation, or a page of it. */
export const ConversationPart = z.object({
  conversation: Conversation.describe("The conversation"),
  hasMore: z.boolean().optional().describe("Of a page: whether there are earlier messages"),
  lastValue: z
    .string()
    .nullable()
    .optional()
    .describe("Of a page: parameter for the positions before it"),
});
export type ConversationPart = z.infer<typeof ConversationPart>;

/** One page of conversations. */
export const ConversationPage = z.object({
  conversations: z.array(ConversationSummary).describe("Conversations, newest first"),
  ...pageEnd,
});
export type ConversationPage = z.infer<typeof ConversationPage>;

/** Body of the update of a conversation: either member, or both. */
export const UpdateConversation = z
  .object({
    read: optional(z.literal(true)).describe("Marks the conversation as read"),
    title: optional(text(512, 1)).describe("New title").meta({ example: "A greeting" }),
  })
  .refine((update) => update.read !== undefined || update.title !== undefined, {
    error: "must have read: true, or title",
  });
export type UpdateConversation = z.output<typeof UpdateConversation>;
