import {
  FeedbackList,
  FeedbackPage,
  GiveFeedback,
  ListFeedback,
  ListOwnFeedback,
  OwnFeedbackPage,
} from "../conversations/feedbacks.ts";
import type { Endpoint } from "../endpoint.ts";
import { ConversationParams, MessageParams, Success } from "../params.ts";
import { administer, administered, get, post } from "./defaults.ts";

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
    summary: "Say what the caller thinks of an answer, in place of what it said before",
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
