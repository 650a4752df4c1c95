import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { StatusBadge } from "../ui/badge.tsx";
import { rowLink, Table } from "../ui/table.tsx";
import { describeTokens, formatCached } from "../ui/tokens.ts";
import { formatDuration, formatNumber, Time } from "../ui/time.tsx";
import { nameOf, nameOfKind, type Run } from "./kinds.ts";

const REFRESH_MS = 2000;

/** Refreshes the first page of a list while its tab is visible. */
export const whileLookedAt = (after: string | undefined) => ({
  refetchInterval: after === undefined && REFRESH_MS,
  placeholderData: keepPreviousData,
});

interface RunTableProps<Listed extends Run> {
  readonly runs: readonly Listed[];
  /** When they were read; the duration of a running one counts until then. */
  readonly readAt: number;
  /** The first column; the others are the same in all lists of runs. */
  readonly first: { readonly name: string; readonly cellOf: (run: Listed) => ReactNode };
  /** Whether the reader may open a run. */
  readonly hasLinks?: boolean;
}

/** Runs with their states, times and errors. */
export function RunTable<Listed extends Run>({
  runs,
  readAt,
  first,
  hasLinks = true,
}: RunTableProps<Listed>) {
  return (
    <Table
      label="Runs"
      rows={runs}
      keyOf={({ id }) => id}
      columns={{
        [first.name]: first.cellOf,
        Run: (run) => (
          <div className="min-w-32">
            {hasLinks ? <Detail run={run}>{nameOf(run)}</Detail> : nameOf(run)}
            <code className="block font-mono text-xs text-muted">{run.id}</code>
          </div>
        ),
        Kind: ({ kind }) => <span className="whitespace-nowrap">{nameOfKind[kind]}</span>,
        Status: ({ status }) => <StatusBadge status={status} />,
        Created: ({ createdAt }) => <Time at={createdAt} />,
        Duration: (run) => (
          <span className="whitespace-nowrap tabular-nums">{durationOf(run, readAt)}</span>
        ),
        Tokens: ({ usage }) =>
          usage && (
            <span className="whitespace-nowrap tabular-nums" title={describeTokens(usage)}>
              {formatNumber(usage.inputTokens)} / {formatNumber(usage.outputTokens)}
              <span className="block text-xs text-muted">{formatCached(usage)} cached</span>
            </span>
          ),
        Attempts: ({ attempts }) => <span className="tabular-nums">{formatNumber(attempts)}</span>,
        Error: ({ error }) =>
          error && (
            <div className="min-w-40 text-sm" title={error.message}>
              <code className="font-mono">{error.code}</code>
              <p className="line-clamp-2 text-muted">{error.message}</p>
            </div>
          ),
      }}
    />
  );
}

/** How long a run took, or has run so far; nothing before it has started. */
function durationOf({ durationMs, startedAt, endedAt }: Run, readAt: number): string {
  if (durationMs !== null) return formatDuration(durationMs);
  if (startedAt === null || endedAt !== null) return "–";
  // The browser's clock may be behind the server's.
  return formatDuration(Math.max(0, readAt - startedAt));
}

/** Leads to the page of an invocation, or to the conversation of a turn or of a call. */
function Detail({ run, children }: { readonly run: Run; readonly children: ReactNode }) {
  const { kind, id, function: called, tool, conversationId } = run;
  const toInvocation = (functionId: string) => (
    <Link
      to="/functions/$functionId/invocations/$invocationId"
      params={{ functionId, invocationId: id }}
      className={rowLink}
    >
      {children}
    </Link>
  );
  if (kind === "invocation" && called !== null) return toInvocation(called.slug);
  if (kind === "tool_call" && conversationId === null && tool !== null)
    return toInvocation(tool.sId);
  if (conversationId === null) return children;
  return (
    <Link to="/conversations/$conversationId" params={{ conversationId }} className={rowLink}>
      {children}
    </Link>
  );
}
