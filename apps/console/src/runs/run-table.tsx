import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { StatusBadge } from "../ui/badge.tsx";
import { rowLink, Table } from "../ui/table.tsx";
import { formatDuration, formatNumber, Time } from "../ui/time.tsx";
import { nameOf, nameOfKind, type Run } from "./kinds.ts";

const REFRESH_MS = 2000;

/** The first page of a list is read again and again, but not in a tab that is hidden. */
export const whileLookedAt = (after: string | undefined) => ({
  refetchInterval: after === undefined && REFRESH_MS,
  placeholderData: keepPreviousData,
});

interface RunTableProps<Listed extends Run> {
  readonly runs: readonly Listed[];
  /** When they were read: those that run have lasted until then. */
  readonly readAt: number;
  /** The column before those that all lists of runs have. */
  readonly first: { readonly name: string; readonly cellOf: (run: Listed) => ReactNode };
  /** Whether the reader may open what runs. */
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
  // The clock of the browser may be before that of the server.
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
