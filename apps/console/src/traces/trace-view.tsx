import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { trpc } from "../api/clients.ts";
import { useWorkspaceId } from "../api/use-session.ts";
import { Loaded } from "../ui/loaded.tsx";
import { type Span, type Trace } from "./spans.ts";
import { Waterfall } from "./waterfall.tsx";

const REFRESH_MS = 1000;

const refreshed = {
  refetchInterval: ({
    state,
  }: {
    readonly state: { readonly data: { trace: Trace } | undefined };
  }) => state.data?.trace.spans.some(({ endedAt }) => endedAt === null) === true && REFRESH_MS,
};

interface AnswerTraceProps {
  readonly conversationId: string;
  readonly messageId: string;
  readonly extraOf?: (span: Span) => ReactNode;
}

/** What an answer spent its time on; it grows while the answer is written. */
export function AnswerTrace({ conversationId: cId, messageId: mId, extraOf }: AnswerTraceProps) {
  const input = { wId: useWorkspaceId(), cId, mId };
  const reading = useQuery(trpc.messages.getTrace.queryOptions(input, refreshed));
  return (
    <Loaded query={reading} label="the trace" lines={4}>
      {({ trace }) => <TraceOf trace={trace} now={reading.dataUpdatedAt} extraOf={extraOf} />}
    </Loaded>
  );
}

/** What an invocation spent its time on. */
export function RunTrace({ runId }: { readonly runId: string }) {
  const input = { wId: useWorkspaceId(), runId };
  const reading = useQuery(trpc.runs.getTrace.queryOptions(input, refreshed));
  return (
    <Loaded query={reading} label="the trace" lines={2}>
      {({ trace }) => <TraceOf trace={trace} now={reading.dataUpdatedAt} />}
    </Loaded>
  );
}

interface TraceOfProps {
  readonly trace: Trace;
  readonly now: number;
  readonly extraOf?: ((span: Span) => ReactNode) | undefined;
}

function TraceOf({ trace, now, extraOf }: TraceOfProps) {
  return (
    <div className="grid gap-2">
      <Waterfall label="Trace" spans={trace.spans} now={now} extraOf={extraOf} />
      {trace.isCut && <p className="text-sm text-muted">Some spans are not shown.</p>}
    </div>
  );
}
