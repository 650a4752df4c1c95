import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AgentMessage, Output } from "parley-client";
import { useState } from "react";
import { rpc, trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { AnswerTrace } from "../traces/trace-view.tsx";
import { StatusBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table } from "../ui/table.tsx";
import { formatDuration, formatNumber, Time } from "../ui/time.tsx";
import { describeTokens, formatCached, formatCost } from "../ui/tokens.ts";
import { SentRequest, SentRequests } from "./sent-requests.tsx";

type Consumption = Output<"conversations.getConsumption">;

/** The cost of a conversation's answers, and of its summaries: steps, calls, tokens and durations. */
export function Timeline({ conversationId }: { readonly conversationId: string }) {
  const call = { wId: useWorkspaceId(), cId: conversationId };
  const consumption = useInfiniteQuery({
    queryKey: [...trpc.conversations.getConsumption.queryKey(call), "pages"],
    queryFn: ({ pageParam: lastValue, signal }) =>
      rpc.conversations.getConsumption.query({ ...call, lastValue }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ hasMore, lastValue }) => (hasMore ? (lastValue ?? undefined) : undefined),
  });
  const content = useQuery(trpc.conversations.get.queryOptions(call));
  const error = consumption.error ?? content.error;
  if (error) return <ErrorNotice error={error} />;
  const first = consumption.data?.pages[0];
  if (!first || !consumption.data || !content.data) return <Skeleton label="the timeline" />;
  const answers = consumption.data.pages.flatMap(({ messages }) => messages);
  const messages = new Map(
    content.data.conversation.content
      .flat()
      .flatMap((message) =>
        message.type === "agent_message" ? [[message.sId, message] as const] : [],
      ),
  );
  if (answers.length === 0) return <EmptyState title="No answers yet" />;
  return (
    <div className="grid gap-5">
      <Totals total={first.total} />
      {first.summaries && (
        <p className="text-sm text-muted">
          {formatNumber(first.summaries.summaries)}{" "}
          {first.summaries.summaries === 1 ? "summary" : "summaries"} of the oldest messages took{" "}
          {describeTokens(first.summaries)} of these
        </p>
      )}
      <ol className="grid gap-4">
        {answers.map((answer, index) => (
          <Turn
            key={`${answer.messageId} ${answer.version}`}
            conversationId={conversationId}
            answer={answer}
            message={messages.get(answer.messageId)}
            isNewest={index === answers.length - 1 && !consumption.hasNextPage}
          />
        ))}
      </ol>
      {consumption.hasNextPage && (
        <Button
          className="justify-self-start"
          isBusy={consumption.isFetchingNextPage}
          onClick={() => void consumption.fetchNextPage()}
        >
          Load more
        </Button>
      )}
      <Table
        label="By agent and model"
        rows={[
          ...first.agents.map((sums) => ({ name: sums.agentConfigurationId, sums })),
          ...first.models.map((sums) => ({ name: `${sums.providerId}/${sums.modelId}`, sums })),
        ]}
        keyOf={({ name }) => name}
        columns={{
          "Agent or model": ({ name }) => name,
          Answers: ({ sums }) => formatNumber(sums.answers),
          Steps: ({ sums }) => formatNumber(sums.steps),
          "Input tokens": ({ sums }) => formatNumber(sums.inputTokens),
          "Cached input": ({ sums }) => formatCached(sums),
          "Output tokens": ({ sums }) => formatNumber(sums.outputTokens),
          "Reasoning tokens": ({ sums }) => formatNumber(sums.reasoningTokens),
          Cost: ({ sums }) => formatCost(sums.cost),
          "Model time": ({ sums }) => formatDuration(sums.modelDurationMs),
          "Tool time": ({ sums }) => formatDuration(sums.toolDurationMs),
        }}
      />
    </div>
  );
}

function Totals({ total }: { readonly total: Consumption["total"] }) {
  const facts: readonly (readonly [string, string])[] = [
    ["Answers", formatNumber(total.answers)],
    ["Steps", formatNumber(total.steps)],
    ["Input tokens", formatNumber(total.inputTokens)],
    ["Cached input", formatCached(total)],
    ["Output tokens", formatNumber(total.outputTokens)],
    ["Reasoning tokens", formatNumber(total.reasoningTokens)],
    ...(total.cost ? [["Cost", formatCost(total.cost)] as const] : []),
    ["Model time", formatDuration(total.modelDurationMs)],
    ["Tool calls", formatNumber(total.toolCalls)],
    ["Tool time", formatDuration(total.toolDurationMs)],
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
      {facts.map(([name, value]) => (
        <div key={name} className="rounded-md bg-surface px-3 py-2">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TurnProps {
  readonly conversationId: string;
  readonly answer: Consumption["messages"][number];
  /** Undefined if the answer is newer than the loaded messages. */
  readonly message: AgentMessage | undefined;
  /** Whether its trace is shown from the beginning. */
  readonly isNewest: boolean;
}

function Turn({ conversationId, answer, message, isNewest }: TurnProps) {
  const [isOpen, setIsOpen] = useState(isNewest);
  return (
    <li className="grid min-w-0 gap-2 rounded-lg border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">
          {message?.configuration.name ?? answer.agentConfigurationId}
        </span>
        {answer.version > 0 && <span className="text-muted">version {answer.version + 1}</span>}
        <StatusBadge status={answer.status} />
        {message && (
          <span className="text-sm text-muted">
            <Time at={message.created} />
          </span>
        )}
      </p>
      <p className="text-sm text-muted">
        {answer.providerId}/{answer.modelId}: {formatNumber(answer.steps)}{" "}
        {answer.steps === 1 ? "step" : "steps"} · {describeTokens(answer)}
        {answer.cost && ` · ${formatCost(answer.cost)}`} · model{" "}
        {formatDuration(answer.modelDurationMs)} · {formatNumber(answer.toolCalls)} tool{" "}
        {answer.toolCalls === 1 ? "call" : "calls"} {formatDuration(answer.toolDurationMs)}
      </p>
      {answer.fallbacks?.map(({ providerId, modelId, steps }) => (
        <p key={`${providerId}/${modelId}`} className="text-sm text-muted">
          Answered by {providerId}/{modelId}, in place of the agent's model, in{" "}
          {formatNumber(steps)} {steps === 1 ? "step" : "steps"}
        </p>
      ))}
      <Button
        isSmall
        className="justify-self-start"
        aria-expanded={isOpen}
        of={`of answer ${answer.messageId}`}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? "Hide trace" : "Show trace"}
      </Button>
      {isOpen && (
        <AnswerTrace
          conversationId={conversationId}
          messageId={answer.messageId}
          extraOf={({ kind, step }) =>
            kind === "step" &&
            step !== undefined && (
              <SentRequest key={step} conversationId={conversationId} answer={answer} step={step} />
            )
          }
        />
      )}
      <SentRequests conversationId={conversationId} answer={answer} />
    </li>
  );
}
