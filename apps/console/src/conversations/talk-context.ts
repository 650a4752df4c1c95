import type { ShownConversation } from "parley-client/react";
import { createContext, useContext } from "react";

/** What can be done in a conversation, besides writing in it. */
type TalkActions = Pick<ShownConversation, "decide" | "answer" | "retry"> & {
  readonly conversationId: string;
};

export const TalkContext = createContext<TalkActions | undefined>(undefined);

/** What can be done in the conversation around this; undefined if it is only shown. */
export function useTalk(): TalkActions | undefined {
  return useContext(TalkContext);
}
