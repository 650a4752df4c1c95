/** The states of a conversation's newest answer. */
export const conversationStates = [
  "unanswered",
  "running",
  "blocked",
  "succeeded",
  "errored",
  "cancelled",
] as const;

export type ConversationState = (typeof conversationStates)[number];
