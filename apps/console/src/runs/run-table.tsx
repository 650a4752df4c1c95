import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { StatusBadge } from "../ui/badge.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { formatDuration, formatNumber, Time } from "../ui/time.tsx";
import { nameOf, nameOfKind, type Run } from "./kinds.ts";

/** How often the first page of a list is read again while it is looked at. */
export const REFRESH_MS = 2000;

const columns = ["Run", "Kind", "Status", "Created", "Duration", "Attempts", "Error"] as const;

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
    <Table label="Runs" columns={[first.name, ...columns]}>
      {runs.map((run) => (
        <TableRow
          key={run.id}
          cells={[
            first.cellOf(run),
            <div className="min-w-32">
              {hasLinks ? <Detail run={run}>{nameOf(run)}</Detail> : nameOf(run)}
              <code className="block font-mono text-xs text-muted">{run.id}</code>
            </div>,
            <span className="whitespace-nowrap">{nameOfKind[run.kind]}</span>,
            <StatusBadge status={run.status} />,
            <Time at={run.createdAt} />,
            <span className="whitespace-nowrap tabular-nums">{durationOf(run, readAt)}</span>,
            <span className="tabular-nums">{formatNumber(run.attempts)}</span>,
            run.error && (
              <div className="min-w-40 text-sm" title={run.error.message}>
                <code className="font-mono">{run.error.code}</code>
                <p className="line-clamp-2 text-muted">{run.error.message}</p>
              </div>
            ),
          ]}
        />
      ))}
    </Table>
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
  const look = "font-medium text-accent hover:underline";
  if (kind === "invocation" && called !== null) {
    return (
      <Link
        to="/functions/$functionId/invocations/$invocationId"
        params={{ functionId: called.slug, invocationId: id }}
        className={look}
      >
        {children}
      </Link>
    );
  }
  if (kind === "tool_call" && conversationId === null && tool !== null) {
    return (
      <Link
        to="/functions/$functionId/invocations/$invocationId"
        params={{ functionId: tool.sId, invocationId: id }}
        className={look}
      >
        {children}
      </Link>
    );
  }
  if (conversationId === null) return children;
  return (
    <Link to="/conversations/$conversationId" params={{ conversationId }} className={look}>
      {children}
    </Link>
  );
}
