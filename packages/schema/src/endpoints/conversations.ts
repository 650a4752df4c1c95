import * as z from "zod";
import { CreateContentFragment, ContentFragment } from "../content-fragments.ts";
import {
  Conversation,
  ConversationPage,
  CreateConversation,
  CreatedConversation,
  ListConversations,
  UpdateConversation,
} from "../conversations.ts";
import type { Endpoint } from "../endpoint.ts";
import { ConversationEvent, MessageEvent } from "../events.ts";
import { AgentMessage, PostedMessage, PostMessage, ValidateAction } from "../messages.ts";
import { ConversationParams, MessageParams, Success, WorkspaceParams } from "../params.ts";
import { Reference } from "../text.ts";

const root = "/api/v1/w/{wId}/assistant/conversations";
const conversation = `${root}/{cId}` as const;

const sibling = {
  kind: "json",
  status: 200,
  role: "user",
  tags: ["conversations"],
  specified: false,
} as const;

/** Operations on conversations and their messages. */
export const conversationEndpoints = {
  "conversations.create": {
    ...sibling,
    summary: "Create a conversation",
    method: "POST",
    path: root,
    params: WorkspaceParams,
    body: CreateConversation,
    output: CreatedConversation,
    rateLimit: "create",
    errors: [
      "model_disabled",
      "space_not_found",
      "file_not_found",
      "data_source_view_not_found",
      // Only of a request sent again, whose conversation was deleted since.
      "conversation_not_found",
    ],
    specified: true,
  },
  "conversations.list": {
    ...sibling,
    summary: "List conversations, the newest first",
    method: "GET",
    path: root,
    params: WorkspaceParams,
    query: ListConversations,
    output: ConversationPage,
    rateLimit: "read",
    errors: [],
  },
  "conversations.get": {
    ...sibling,
    summary: "Read a conversation",
    method: "GET",
    path: conversation,
    params: ConversationParams,
    output: z.object({ conversation: Conversation.describe("The conversation") }),
    rateLimit: "read",
    errors: ["conversation_not_found"],
  },
  "conversations.update": {
    ...sibling,
    summary: "Mark a conversation as read, or give it a title",
    method: "PATCH",
    path: conversation,
    params: ConversationParams,
    body: UpdateConversation,
    output: Success,
    rateLimit: "read",
    errors: ["conversation_not_found"],
  },
  "conversations.delete": {
    ...sibling,
    summary: "Delete a conversation and all of its content",
    method: "DELETE",
    path: conversation,
    params: ConversationParams,
    output: Success,
    rateLimit: "read",
    errors: ["conversation_not_found"],
  },
  "conversations.cancel": {
    ...sibling,
    summary: "Cancel agent messages",
    method: "POST",
    path: `${conversation}/cancel`,
    params: ConversationParams,
    body: z.object({
      messageIds: z.array(Reference).max(100).describe("Ids of the messages to cancel"),
    }),
    output: Success,
    rateLimit: "read",
    errors: ["conversation_not_found"],
  },
  "conversations.events": {
    ...sibling,
    kind: "stream",
    summary: "Follow a conversation",
    method: "GET",
    path: `${conversation}/events`,
    params: ConversationParams,
    event: ConversationEvent,
    enveloped: true,
    rateLimit: "stream",
    errors: ["conversation_not_found"],
  },
  "contentFragments.create": {
    ...sibling,
    summary: "Add a content fragment to a conversation",
    method: "POST",
    path: `${conversation}/content_fragments`,
    params: ConversationParams,
    body: CreateContentFragment,
    output: z.object({ contentFragment: ContentFragment.describe("The new fragment") }),
    rateLimit: "create",
    errors: ["conversation_not_found", "file_not_found", "data_source_view_not_found"],
  },
  "messages.create": {
    ...sibling,
    summary: "Post a message",
    method: "POST",
    path: `${conversation}/messages`,
    params: ConversationParams,
    body: PostMessage,
    output: PostedMessage,
    rateLimit: "create",
    errors: ["conversation_not_found", "model_disabled"],
  },
  "messages.retry": {
    ...sibling,
    summary: "Answer again: a new version of an agent message",
    method: "POST",
    path: `${conversation}/messages/{mId}/retry`,
    params: MessageParams,
    output: z.object({ message: AgentMessage.describe("The new version") }),
    rateLimit: "create",
    errors: ["conversation_not_found", "message_not_found", "model_disabled"],
  },
  "messages.validateAction": {
    ...sibling,
    summary: "Approve or reject a tool call that waits for it",
    method: "POST",
    path: `${conversation}/messages/{mId}/validate-action`,
    params: MessageParams,
    body: ValidateAction,
    output: Success,
    rateLimit: "create",
    errors: ["conversation_not_found", "message_not_found"],
  },
  "messages.events": {
    ...sibling,
    kind: "stream",
    summary: "Follow an agent message",
    method: "GET",
    path: `${conversation}/messages/{mId}/events`,
    params: MessageParams,
    event: MessageEvent,
    enveloped: true,
    rateLimit: "stream",
    errors: ["conversation_not_found", "message_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
