import type { UserMessage } from "parley-client";
import type { ShownConversation } from "parley-client/react";
import { createContext, useContext } from "react";

/** Changes a message, whose agents answer it again. Throws why it was refused. */
export type EditMessage = (
  message: Pick<UserMessage, "sId" | "mentions">,
  content: string,
) => Promise<void>;

/** Actions in a conversation besides sending messages. */
type TalkActions = Pick<ShownConversation, "decide" | "answer" | "retry"> & {
  readonly conversationId: string;
  readonly edit?: EditMessage;
};

export const TalkContext = createContext<TalkActions | undefined>(undefined);

/** The actions of the surrounding conversation; undefined if it is only shown. */
export function useTalk(): TalkActions | undefined {
  return useContext(TalkContext);
}
