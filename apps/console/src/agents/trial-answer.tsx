import { useQuery } from "@tanstack/react-query";
import { useConversation } from "parley-client/react";
import { useEffect, useMemo, useState } from "react";
import { trpc } from "../api/clients.ts";
import { useParley, useWorkspaceId } from "../api/use-session.ts";
import { AgentAnswer } from "../conversations/agent-answer.tsx";
import { TalkContext } from "../conversations/talk-context.ts";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { formatDuration } from "../ui/time.tsx";
import { describeTokens, formatCost } from "../ui/tokens.ts";

/** An answer that was asked for. */
export interface Trial {
  /** What answers, and with which model. */
  readonly label: string;
  readonly conversationId: string;
  /** When it was asked for, as of `performance.now`. */
  readonly startedAt: number;
}

/** An answer of a trial as it is written, and what it took. */
export function TrialAnswer({ trial }: { readonly trial: Trial }) {
  const { label, conversationId, startedAt } = trial;
  const parley = useParley();
  const talk = useConversation({ parley, conversationId });
  const { messages, approvals, questions, error, decide, answer, retry } = talk;
  const actions = useMemo(
    () => ({ conversationId, decide, answer, retry }),
    [conversationId, decide, answer, retry],
  );
  const message = messages.find((one) => one.type === "agent_message");
  const hasText = message !== undefined && message.content !== "";
  const hasEnded = message !== undefined && message.status !== "created";
  const times = useTimes(startedAt, { hasText, hasEnded });
  return (
    <section aria-label={label} className="grid min-w-0 content-start gap-2">
      <h3 className="font-medium">{label}</h3>
      {error !== undefined && <ErrorNotice error={error} />}
      {message === undefined && error === undefined && <Skeleton label="the answer" lines={3} />}
      {message !== undefined && (
        // It is erased once it has ended: then there is nothing more to do with it.
        <TalkContext value={hasEnded ? undefined : actions}>
          <AgentAnswer message={message} approvals={approvals} questions={questions} />
        </TalkContext>
      )}
      {hasEnded && <Took conversationId={conversationId} times={times} />}
    </section>
  );
}

interface Times {
  readonly firstMs?: number;
  readonly totalMs?: number;
}

/** When the first text and the end were seen, from the start on. */
function useTimes(
  startedAt: number,
  { hasText, hasEnded }: { readonly hasText: boolean; readonly hasEnded: boolean },
): Times {
  const [times, setTimes] = useState<Times>({});
  useEffect(() => {
    const ms = performance.now() - startedAt;
    setTimes((before) => ({
      ...before,
      ...(hasText && before.firstMs === undefined && { firstMs: ms }),
      ...(hasEnded && before.totalMs === undefined && { totalMs: ms }),
    }));
  }, [startedAt, hasText, hasEnded]);
  return times;
}

interface TookProps {
  readonly conversationId: string;
  readonly times: Times;
}

/** Time, tokens and cost. They are read once, before the conversation is erased. */
function Took({ conversationId: cId, times: { firstMs, totalMs } }: TookProps) {
  const call = { wId: useWorkspaceId(), cId };
  const once = { staleTime: Infinity, retry: false };
  const { data } = useQuery(trpc.conversations.getConsumption.queryOptions(call, once));
  const total = data?.total;
  return (
    <p className="text-sm text-muted">
      {firstMs !== undefined && `First text ${formatDuration(Math.round(firstMs))} · `}
      {totalMs !== undefined && `Total ${formatDuration(Math.round(totalMs))}`}
      {total && ` · ${describeTokens(total)}`}
      {total?.cost && ` · ${formatCost(total.cost)}`}
    </p>
  );
}
