/** How the newest answer of a conversation stands, as the server names it, in words. */
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
