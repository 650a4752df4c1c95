import type { ContextType } from "react";
import type { TalkContext } from "../src/conversations/talk-context.ts";

type Talk = NonNullable<ContextType<typeof TalkContext>>;

/** Actions in a conversation, which succeed at once unless the test says otherwise. */
export const talkOf = (changed: Partial<Talk> = {}): Talk => ({
  conversationId: "con_1",
  decide: async () => true,
  answer: async () => true,
  retry: async () => true,
  ...changed,
});
