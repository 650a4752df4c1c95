import * as z from "zod";
import { User } from "../access/members.ts";
import { administer, administered, get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { ConversationParams, MessageParams, Success, WorkspaceParams } from "../params.ts";
import { longPage, pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";

export const ThumbDirection = z.enum(["up", "down"]);

/** What a user thinks of an agent's answer. */
export const Feedback = z.object({
  messageId: z.string().describe("Id of the agent message").meta({ example: "Vn4tR9sWy1" }),
  agentMessageId: z.int().describe("Number of the agent message").meta({ example: 2 }),
  userId: z.int().describe("Number of the user").meta({ example: 1 }),
  thumbDirection: ThumbDirection.describe("Whether the answer is good"),
  content: z.string().nullable().describe("What the user says about it"),
  createdAt: Milliseconds.describe("When it was last given"),
  agentConfigurationId: z.string().describe("Id of the agent").meta({ example: "helper" }),
  agentConfigurationVersion: z
    .int()
    .describe("Version of the agent that answered")
    .meta({ example: 0 }),
  isConversationShared: z
    .boolean()
    .describe("Whether the user lets others read the conversation to understand the feedback"),
});
export type Feedback = z.infer<typeof Feedback>;

export const FeedbackList = z.object({
  feedbacks: z.array(Feedback).describe("The caller's own feedback on the message, if any"),
});
export type FeedbackList = z.infer<typeof FeedbackList>;

/** Body of a feedback. */
export const GiveFeedback = z.object({
  thumbDirection: ThumbDirection.describe("Whether the answer is good").meta({ example: "up" }),
  feedbackContent: optional(text(16 * 1024))
    .describe("What to say about it")
    .meta({ example: "Right to the point" }),
  isConversationShared: optional(z.boolean()).describe(
    "Whether others may read the conversation to understand the feedback; false by default",
  ),
});
export type GiveFeedback = z.output<typeof GiveFeedback>;

/** Query of the listing of one's own feedback in a conversation. */
export const ListOwnFeedback = z.object(longPage("Items", 1000));
export type ListOwnFeedback = z.output<typeof ListOwnFeedback>;

export const OwnFeedbackPage = z.object({
  feedbacks: z.array(Feedback).describe("The caller's own feedback, oldest first"),
  ...pageEnd,
});
export type OwnFeedbackPage = z.infer<typeof OwnFeedbackPage>;

/** Which feedback to list for those who evaluate agents. */
export const ListFeedback = WorkspaceParams.extend({
  agentId: optional(Reference)
    .describe("Only on answers of this agent; of all by default")
    .meta({ example: "helper" }),
  conversationId: optional(Reference)
    .describe("Only on answers in this conversation; in all by default")
    .meta({ example: "Kd82jXq0Pz" }),
  order: optional(z.enum(["oldest", "newest"]))
    .describe("Which comes first; the oldest by default")
    .meta({ example: "newest" }),
  thumbDirection: optional(ThumbDirection).describe(
    "Only positive or only negative feedback; both by default",
  ),
  since: optional(TimeFromQuery).describe(
    "Only given at this time or later, in milliseconds since the epoch",
  ),
  ...pageByNumber("Items"),
});
export type ListFeedback = z.output<typeof ListFeedback>;

export const FeedbackPage = z.object({
  feedbacks: z
    .array(
      Feedback.extend({
        conversationId: z
          .string()
          .describe("Id of the conversation")
          .meta({ example: "Kd82jXq0Pz" }),
        user: User.describe("Who gave it"),
      }),
    )
    .describe("Feedback of all users, oldest first unless asked otherwise"),
  ...pageEnd,
});
export type FeedbackPage = z.infer<typeof FeedbackPage>;

const conversation = "/api/v1/w/{wId}/assistant/conversations/{cId}";

const ofMessage = {
  path: `${conversation}/messages/{mId}/feedbacks`,
  params: MessageParams,
  tags: ["conversations"],
  errors: ["conversation_not_found", "message_not_found"],
} as const;

/** Operations on what users think of answers. */
export const feedbackEndpoints = {
  "feedbacks.give": {
    ...post,
    ...ofMessage,
    scope: "conversations:write",
    summary: "Give feedback on an answer, replacing earlier feedback",
    body: GiveFeedback,
    output: Success,
    rateLimit: "read",
  },
  "feedbacks.get": {
    ...get,
    ...ofMessage,
    scope: "conversations:read",
    summary: "Read the caller's own feedback on an answer",
    output: FeedbackList,
  },
  "feedbacks.withdraw": {
    ...get,
    ...ofMessage,
    scope: "conversations:write",
    summary: "Delete the caller's own feedback on an answer",
    method: "DELETE",
    output: Success,
  },
  "feedbacks.listOwn": {
    ...get,
    scope: "conversations:read",
    summary: "List the caller's own feedback in a conversation",
    path: `${conversation}/feedbacks`,
    params: ConversationParams,
    query: ListOwnFeedback,
    tags: ["conversations"],
    output: OwnFeedbackPage,
    errors: ["conversation_not_found"],
  },
  "feedbacks.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/feedbacks`,
      input: ListFeedback,
    }),
    summary: "List the feedback of all users, to evaluate agents",
    output: FeedbackPage,
  },
} as const satisfies Record<string, Endpoint>;
