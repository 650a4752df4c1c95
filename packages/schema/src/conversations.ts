import * as z from "zod";
import { CreateContentFragment } from "./content-fragments.ts";
import {
  ConversationMessage,
  CreateMessage,
  SpecifiedConversationMessage,
  UserMessage,
} from "./messages.ts";
import { Milliseconds, optional, Reference, text } from "./text.ts";
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

export const Warning = z.object({
  path: z.string().describe("The field of the request"),
  message: z.string().describe("What was not done, and why"),
});
export type Warning = z.infer<typeof Warning>;

export const CreatedConversation = z.object({
  conversation: SpecifiedConversation.describe("The new conversation"),
  message: UserMessage.describe("The user message"),
  warnings: z.array(Warning).optional().describe("Mentions that resolved to no agent"),
});
export type CreatedConversation = z.infer<typeof CreatedConversation>;
