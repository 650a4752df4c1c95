import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ConversationMessage } from "parley-client";
import type { ShownConversation } from "parley-client/react";
import { useConversation } from "parley-client/react";
import { useMemo, useRef } from "react";
import { hasScope } from "../api/access.ts";
import { trpc } from "../api/clients.ts";
import { useParley, useSession } from "../api/use-session.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { join } from "../ui/join.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { Composer, type Draft } from "./composer.tsx";
import { authorOf } from "./draft.ts";
import { FeedbackContext, useFeedbackOf } from "./feedback-context.ts";
import { MessageView } from "./message-view.tsx";
import { type EditMessage, TalkContext } from "./talk-context.ts";
import { useNewMessages } from "./use-new-messages.ts";
import { useStickToEnd } from "./use-stick-to-end.ts";

interface TalkProps {
  readonly conversationId: string;
  /** Whether it is shown beside other content: then the page does not scroll to its end. */
  readonly isBeside?: boolean;
}

/** A conversation with its messages, pending decisions and a composer. */
export function Talk({ conversationId, isBeside = false }: TalkProps) {
  const parley = useParley();
  const session = useSession();
  const queryClient = useQueryClient();
  const talk = useConversation({ parley, conversationId });
  const { messages, status, error, approvals, questions } = talk;
  const list = useRef<HTMLOListElement>(null);
  useStickToEnd(list, !isBeside);
  useNewMessages({ conversationId, status, messages, reload: talk.reload });
  const { send, reload, decide, answer, retry } = talk;
  const feedback = useFeedbackOf(conversationId);
  // The functions of `useConversation` are stable, so unchanged messages are not rendered again.
  const actions = useMemo(
    () => ({
      conversationId,
      decide,
      answer,
      retry,
      edit: async ({ sId: messageId, mentions }: Parameters<EditMessage>[0], content: string) => {
        await parley.messages.edit({ conversationId, messageId, content, mentions: [...mentions] });
        await reload();
      },
    }),
    [parley, conversationId, decide, answer, retry, reload],
  );
  /** Files that are already in the conversation, if the message after them could not be sent. */
  const attached = useRef(new Set<string>());
  /** The last message before the one that is being sent, which is shown at once. */
  const sentAfter = useRef<string>(undefined);
  const sending = useMutation({
    onMutate: () => {
      sentAfter.current = lastWrittenId(messages);
    },
    mutationFn: async ({ text, agentIds, files }: Draft) => {
      // One after the other, to keep their order in the conversation.
      for (const { fileId, title } of files) {
        if (attached.current.has(fileId)) continue;
        await parley.contentFragments.create({ conversationId, fileId, title });
        attached.current.add(fileId);
      }
      if (files.length > 0) await reload();
      const mentions = agentIds.map((configurationId) => ({ configurationId }));
      const isSent = await send({ content: text, mentions, context: authorOf(session) });
      void queryClient.invalidateQueries(trpc.conversations.list.pathFilter());
      return isSent;
    },
  });
  const isAnswering = status === "answering";
  /** The default mentions are known once messages are loaded. */
  const isLoading = status === "loading" && messages.length === 0;
  return (
    <div
      className={join(
        "grid min-w-0 content-start gap-4",
        // The composer is at the lower edge, also below a short conversation.
        !isBeside && "mx-auto min-h-[calc(100dvh-13.5rem)] max-w-4xl grid-rows-[1fr_auto_auto]",
      )}
    >
      {isLoading && <Skeleton label="the messages" lines={8} />}
      {status === "ready" && messages.length === 0 && error === undefined && (
        <EmptyState title="No messages yet" />
      )}
      <TalkContext value={actions}>
        <FeedbackContext value={feedback}>
          <ol ref={list} aria-label="Messages" className="grid min-w-0 gap-5">
            {messages.map((message) => (
              <MessageView
                key={message.sId}
                message={message}
                approvals={pick(approvals, message.sId)}
                questions={pick(questions, message.sId)}
              />
            ))}
            {sending.isPending && lastWrittenId(messages) === sentAfter.current && (
              <li aria-busy className="min-w-0 opacity-70">
                <article className="ml-auto grid max-w-3xl gap-1 rounded-lg bg-accent-soft px-4 py-3">
                  <p className="text-sm text-muted">Sending …</p>
                  <p className="whitespace-pre-wrap">{sending.variables.text}</p>
                </article>
              </li>
            )}
          </ol>
        </FeedbackContext>
      </TalkContext>
      <p role="status" className="min-h-6 text-sm text-muted">
        {talk.isReconnecting
          ? "Connection lost. Reconnecting …"
          : isAnswering && `${answeringNames(messages)} …`}
      </p>
      {error !== undefined && (
        <ErrorNotice
          error={error}
          {...(messages.length === 0 && { onRetry: () => void reload() })}
        />
      )}
      {sending.isError && <ErrorNotice error={sending.error} />}
      {hasScope(session, "conversations:write") && (
        <div className={isBeside ? "" : "sticky bottom-0 -mx-1 bg-canvas px-1 pt-1 pb-3"}>
          <Composer
            suggestedAgentIds={lastMentioned(messages)}
            onSend={async (draft) => sending.mutateAsync(draft).catch(() => false)}
            isBusy={sending.isPending || isLoading}
          >
            {isAnswering && (
              <Button onClick={() => void talk.cancel()}>
                <Icon name="stop" />
                Cancel
              </Button>
            )}
          </Composer>
        </div>
      )}
    </div>
  );
}

const none: readonly never[] = [];

type Approval = ShownConversation["approvals"][number];

/** The waiting calls of a message and its tasks; most share one empty list, so that they are not rendered again. */
function pick<T extends Pick<Approval, "messageId" | "path">>(
  waiting: readonly T[],
  messageId: string,
): readonly T[] {
  const own = waiting.filter(
    (one) =>
      one.messageId === messageId || one.path?.some((above) => above.messageId === messageId),
  );
  return own.length === 0 ? none : own;
}

function answeringNames(messages: readonly ConversationMessage[]): string {
  const names = messages.flatMap((message) =>
    message.type === "agent_message" && message.status === "created"
      ? message.configuration.name
      : [],
  );
  return `${names.join(", ")} ${names.length > 1 ? "are" : "is"} answering`;
}

const lastWrittenId = (messages: readonly ConversationMessage[]): string | undefined =>
  messages.findLast(({ type }) => type === "user_message")?.sId;

/** The agents that the last message mentions: the next one is probably for them too. */
function lastMentioned(messages: readonly ConversationMessage[]): readonly string[] | undefined {
  const last = messages.findLast(
    (message) => message.type === "user_message" && message.mentions.length > 0,
  );
  if (last?.type !== "user_message") return undefined;
  return last.mentions.map(({ configurationId }) => configurationId);
}
