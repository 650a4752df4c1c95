import type { ShownConversation } from "parley-client/react";
import { createContext, useContext } from "react";

/** Actions in a conversation besides sending messages. */
type TalkActions = Pick<ShownConversation, "decide" | "answer" | "retry"> & {
  readonly conversationId: string;
};

export const TalkContext = createContext<TalkActions | undefined>(undefined);

/** The actions of the surrounding conversation; undefined if it is only shown. */
export function useTalk(): TalkActions | undefined {
  return useContext(TalkContext);
}
