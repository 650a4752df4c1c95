/** Labels for the state of a conversation's newest answer. */
export const nameOfState = {
  unanswered: "Unanswered",
  running: "Running",
  blocked: "Needs attention",
  succeeded: "Succeeded",
  errored: "Failed",
  cancelled: "Cancelled",
} as const;

export type ConversationState = keyof typeof nameOfState;

export const conversationStates = Object.keys(nameOfState) as readonly ConversationState[];
