import * as z from "zod";
import { get, post, stream } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { exampleOf } from "../examples.ts";
import { ConversationParams, MessageParams, Success, WorkspaceParams } from "../params.ts";
import { include } from "../parsing/include.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Reference } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";
import { AnswerQuestion, BlockedAction, ValidateAction } from "./blocked-actions.ts";
import { Consumption, ReadConsumption } from "./consumption.ts";
import { ContentFragment, CreateContentFragment } from "./content-fragments.ts";
import { ConversationEvent } from "./conversation-events.ts";
import {
  ConversationPage,
  ConversationPart,
  CreateConversation,
  CreatedConversation,
  GetConversation,
  ListConversations,
  UpdateConversation,
} from "./conversations.ts";
import { SendToolOutputs } from "./function-tools.ts";
import { MessageEvent } from "./message-events.ts";
import { ListTasks, TaskPage } from "./tasks.ts";
import { AgentMessage, EditMessage, PostedMessage, PostMessage } from "./messages.ts";

const root = "/api/v1/w/{wId}/assistant/conversations";
const conversation = `${root}/{cId}` as const;
const message = `${conversation}/messages/{mId}` as const;

/** What published clients do not know. */
const optIn = [
  "notes",
  "compaction",
  "fallbacks",
  "budgets",
  "function_calls",
  "citations",
  "children",
] as const;

const tags = ["conversations"] as const;
const ofConversation = {
  tags,
  path: conversation,
  params: ConversationParams,
  errors: ["conversation_not_found"],
} as const;
const ofMessage = {
  tags,
  params: MessageParams,
  errors: ["conversation_not_found", "message_not_found"],
} as const;

/** Operations on conversations and their messages. */
export const conversationEndpoints = {
  "conversations.create": {
    ...post,
    tags,
    scope: "conversations:write",
    summary: "Create a conversation",
    path: root,
    params: WorkspaceParams,
    body: CreateConversation,
    output: CreatedConversation,
    errors: [
      "model_disabled",
      "space_not_found",
      "file_not_found",
      "data_source_view_not_found",
      // Only for a repeated request whose conversation was deleted since.
      "conversation_not_found",
    ],
    specified: true,
  },
  "conversations.list": {
    ...get,
    tags,
    scope: "conversations:read",
    summary: "List conversations, newest first",
    path: root,
    params: WorkspaceParams,
    query: ListConversations,
    output: ConversationPage,
  },
  "conversations.get": {
    ...get,
    ...ofConversation,
    scope: "conversations:read",
    summary: "Read a conversation",
    query: GetConversation,
    output: ConversationPart,
  },
  "conversations.update": {
    ...get,
    ...ofConversation,
    scope: "conversations:write",
    storesLittle: true,
    summary: "Mark a conversation as read, or rename it",
    method: "PATCH",
    body: UpdateConversation,
    output: Success,
  },
  "conversations.delete": {
    ...get,
    ...ofConversation,
    scope: "conversations:write",
    summary: "Delete a conversation and all of its content",
    method: "DELETE",
    output: Success,
    subject: ["cId"],
  },
  "conversations.cancel": {
    ...post,
    ...ofConversation,
    scope: "conversations:write",
    storesLittle: true,
    summary: "Cancel agent messages",
    path: `${conversation}/cancel`,
    body: z.object({
      messageIds: z
        .array(Reference)
        .max(100)
        .describe("Ids of the messages to cancel")
        .meta({ example: ["Vn4tR9sWy1"] }),
    }),
    output: Success,
    rateLimit: "read",
  },
  "conversations.events": {
    ...stream,
    ...ofConversation,
    scope: "conversations:read",
    summary: "Follow a conversation",
    path: `${conversation}/events`,
    query: z.object({ include: include(optIn) }),
    event: ConversationEvent,
    enveloped: true,
    formats: ["ai-sdk", "ag-ui"],
  },
  "conversations.listBlockedActions": {
    ...get,
    ...ofConversation,
    scope: "conversations:read",
    summary: "List the tool calls that wait for approval",
    path: `${conversation}/actions/blocked`,
    output: z.object({
      blockedActions: z.array(BlockedAction).describe("The calls, oldest first"),
    }),
  },
  "actions.listBlocked": {
    ...get,
    tags: ["conversations"],
    scope: "conversations:read",
    summary: "List the tool calls that wait for approval in all conversations",
    path: "/api/v1/w/{wId}/assistant/actions/blocked",
    params: WorkspaceParams,
    query: z.object(pageByNumber("Calls")),
    output: z.object({
      blockedActions: z.array(BlockedAction).describe("The calls, oldest first"),
      ...pageEnd,
    }),
  },
  "conversations.getConsumption": {
    ...get,
    ...ofConversation,
    scope: "conversations:read",
    summary: "Read the tokens, steps, calls and times of a conversation's answers",
    path: `${conversation}/consumption`,
    query: ReadConsumption,
    output: Consumption,
  },
  "conversations.listTasks": {
    ...get,
    ...ofConversation,
    scope: "conversations:read",
    summary: "List the tasks that agents have given to others below a conversation",
    path: `${conversation}/tasks`,
    query: ListTasks,
    output: TaskPage,
  },
  "contentFragments.create": {
    ...post,
    ...ofConversation,
    scope: "conversations:write",
    summary: "Add a content fragment to a conversation",
    path: `${conversation}/content_fragments`,
    body: CreateContentFragment,
    output: z.object({
      contentFragment: ContentFragment.describe("The new fragment"),
      warnings,
    }),
    errors: ["conversation_not_found", "file_not_found", "data_source_view_not_found"],
  },
  "messages.create": {
    ...post,
    ...ofConversation,
    scope: "conversations:write",
    summary: "Post a message",
    path: `${conversation}/messages`,
    body: PostMessage,
    output: PostedMessage,
    errors: [
      "conversation_not_found",
      "message_not_found",
      "version_conflict",
      "model_disabled",
      "file_not_found",
      "data_source_view_not_found",
    ],
  },
  "messages.edit": {
    ...post,
    ...ofMessage,
    scope: "conversations:write",
    summary: "Edit a user's message, which creates a new version that its agents answer",
    path: `${message}/edit`,
    body: EditMessage,
    output: PostedMessage,
    errors: [...ofMessage.errors, "model_disabled"],
  },
  "messages.retry": {
    ...post,
    ...ofMessage,
    scope: "conversations:write",
    summary: "Regenerate an answer, as a new version of the agent message",
    path: `${message}/retry`,
    output: z.object({
      message: AgentMessage.meta({
        description: "The new version",
        example: { ...exampleOf(AgentMessage), version: 1 },
      }),
    }),
    errors: [...ofMessage.errors, "model_disabled"],
  },
  "messages.validateAction": {
    ...post,
    ...ofMessage,
    scope: "conversations:write",
    storesLittle: true,
    summary: "Approve or reject a tool call",
    path: `${message}/validate-action`,
    body: ValidateAction,
    output: Success,
    // The decision too: the record contains nothing else of the body.
    subject: ["cId", "mId", "actionId", "approved"],
  },
  "messages.answerQuestion": {
    ...post,
    ...ofMessage,
    scope: "conversations:write",
    storesLittle: true,
    summary: "Answer an agent's question",
    path: `${message}/answer-question`,
    body: AnswerQuestion,
    output: Success,
  },
  "messages.sendToolOutputs": {
    ...post,
    ...ofMessage,
    scope: "conversations:write",
    summary: "Send the outputs of an application's own tools, which an answer has called",
    path: `${message}/tool-outputs`,
    body: SendToolOutputs,
    output: Success,
  },
  "messages.events": {
    ...stream,
    ...ofMessage,
    scope: "conversations:read",
    summary: "Follow an agent message",
    path: `${message}/events`,
    query: z.object({ include: include([...optIn, "children_events"]) }),
    event: MessageEvent,
    enveloped: true,
    formats: ["ai-sdk", "ag-ui"],
  },
} as const satisfies Record<string, Endpoint>;
