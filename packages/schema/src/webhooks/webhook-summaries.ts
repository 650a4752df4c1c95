/** What has happened, for every event that webhooks can be told of. Without zod, so that pages can have it. */
export const webhookSummaries = {
  "conversation.created": "A conversation was created",
  "conversation.deleted": "A conversation was deleted",
  "message.succeeded": "An agent has answered",
  "message.failed": "An agent could not answer",
  "message.cancelled": "An answer was cancelled",
  "approval.requested": "A tool call waits for an approval",
  "approval.decided": "A tool call was approved or rejected",
  "question.asked": "An agent asks its user a question",
  "authorization.requested": "A tool call waits until its user authorizes the tool",
  "outputs.requested": "An answer waits for the outputs of the application's tools",
  "invocation.succeeded": "An invocation of a function has its result",
  "invocation.failed": "An invocation of a function has failed or was cancelled",
  "budget.reached": "What an answer costs has reached the limit of a soft budget",
  "budget.exceeded": "An answer ended because a budget is used up",
  "webhook.disabled": "Another webhook was switched off",
} as const;
