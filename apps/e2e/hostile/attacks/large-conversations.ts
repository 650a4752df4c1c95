import type { Attack } from "../attack.ts";
import { readLargeConversation } from "../large-conversation.ts";

/** A conversation of megabytes that many read at once, all of whose messages were one answer. */
export const largeConversations: Attack = {
  name: "16 readers of a large conversation",
  run: (target) => readLargeConversation(target, { mebibytes: 12, readers: 16 }),
};
