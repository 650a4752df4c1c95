import { useQueryClient } from "@tanstack/react-query";
import type { ConversationMessage } from "parley-client";
import type { ShownConversation } from "parley-client/react";
import { useEffect, useState } from "react";
import { trpc } from "../api/clients.ts";
import { useParley } from "../api/use-session.ts";

interface Watched extends Pick<ShownConversation, "status" | "messages" | "reload"> {
  readonly conversationId: string;
}

/** How long ended answers are collected before the state of the conversation is read. */
const STATE_DELAY_MS = 300;

/**
 * Reloads a conversation when someone else, such as another tab, writes in it, and its title and unread state when
 * these change.
 */
export function useNewMessages({ conversationId, status, messages, reload }: Watched): void {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [announced, setAnnounced] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let reading: ReturnType<typeof setTimeout> | undefined;
    const readState = () => {
      reading ??= setTimeout(() => {
        reading = undefined;
        void queryClient.invalidateQueries(trpc.conversations.pathFilter());
      }, STATE_DELAY_MS);
    };
    const follow = async () => {
      const options = { signal, reconnectForMs: Infinity };
      const followed = { conversationId, include: ["compaction"] as const };
      for await (const event of parley.conversations.follow(followed, options)) {
        switch (event.type) {
          case "user_message_new":
          case "agent_message_new":
            setAnnounced((before) => new Set([...before, event.messageId]));
            break;
          case "conversation_compacted":
            void queryClient.invalidateQueries(trpc.summaries.list.pathFilter());
            break;
          case "conversation_title":
          case "agent_message_done":
            readState();
            break;
          case "tool_approve_execution":
          case "tool_ask_user_question":
          case "tool_personal_auth_required":
            // The message's own events have them too.
            break;
          case "tool_output_required":
            break;
          default:
            // A newer server may send others.
            event satisfies never;
        }
      }
    };
    // The read of the conversation shows a refusal.
    follow().catch(() => {});
    return () => {
      leaving.abort();
      clearTimeout(reading);
    };
  }, [parley, queryClient, conversationId]);
  useEffect(() => {
    // A message that this page sends is announced before the response to it.
    if (announced.size === 0 || status === "loading" || status === "sending") return;
    setAnnounced(new Set());
    if (!knowsAll(messages, announced)) void reload();
  }, [announced, status, messages, reload]);
}

/** Whether all announced messages are loaded. Older versions, which are not shown, count as loaded. */
function knowsAll(
  messages: readonly ConversationMessage[],
  announced: ReadonlySet<string>,
): boolean {
  const known = new Set(messages.map(({ sId }) => sId));
  return [...announced].every((id) => known.has(id));
}
