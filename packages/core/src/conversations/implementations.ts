import { requireConversationOf } from "../access/conversation-reach.ts";
import { replaySuccess } from "../idempotency.ts";
import type { Implementations } from "../implementation.ts";
import { getAnswerDetails } from "./answer-details.ts";
import { cancelMessages } from "./cancel-messages.ts";
import { getConsumption } from "./consumption.ts";
import { listTasks } from "./list-tasks.ts";
import { getConversation } from "./conversation-content.ts";
import { deleteConversation, listConversations, updateConversation } from "./conversations.ts";
import { createConversation } from "./create-conversation.ts";
import { editMessage } from "./edit-message.ts";
import {
  getFeedback,
  giveFeedback,
  listFeedback,
  listOwnFeedback,
  withdrawFeedback,
} from "./feedbacks.ts";
import { addContentFragment, postMessage, retryMessage } from "./post-messages.ts";
import {
  replayContentFragment,
  replayConversation,
  replayEdit,
  replayPost,
  replayRetry,
} from "./replays.ts";
import {
  getProjectMetadata,
  listProjectFiles,
  listSpaceConversationIds,
  listSpaceConversations,
} from "./space-content.ts";
import { findConversationStream, findMessageStream } from "./streams.ts";

/** The endpoints that are implemented here. */
export const conversationImplementations = {
  "contentFragments.create": { make: addContentFragment, replay: replayContentFragment },
  "conversations.cancel": { make: cancelMessages, replay: replaySuccess(requireConversationOf) },
  "conversations.create": { make: createConversation, replay: replayConversation },
  "conversations.delete": deleteConversation,
  "conversations.events": findConversationStream,
  "conversations.get": getConversation,
  "conversations.getConsumption": getConsumption,
  "conversations.listTasks": listTasks,
  "conversations.list": listConversations,
  "conversations.update": updateConversation,
  "feedbacks.get": getFeedback,
  "feedbacks.give": { make: giveFeedback, replay: replaySuccess(requireConversationOf) },
  "feedbacks.list": listFeedback,
  "feedbacks.listOwn": listOwnFeedback,
  "feedbacks.withdraw": withdrawFeedback,
  "messages.create": { make: postMessage, replay: replayPost },
  "messages.getAnswer": getAnswerDetails,
  "messages.edit": { make: editMessage, replay: replayEdit },
  "messages.events": findMessageStream,
  "messages.retry": { make: retryMessage, replay: replayRetry },
  "spaces.getProjectMetadata": getProjectMetadata,
  "spaces.listConversationIds": listSpaceConversationIds,
  "spaces.listConversations": listSpaceConversations,
  "spaces.listProjectFiles": listProjectFiles,
} satisfies Implementations;
