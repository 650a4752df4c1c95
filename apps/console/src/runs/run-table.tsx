import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { StatusBadge } from "../ui/badge.tsx";
import { Table, TableRow } from "../ui/table.tsx";
import { formatDuration, formatNumber, Time } from "../ui/time.tsx";
import { isCancellable } from "./cancel-runs.ts";
import { nameOf, nameOfKind, type Run } from "./kinds.ts";
import { isRepeatable } from "./repeat-runs.ts";

const columns = [
  "Select",
  "Run",
  "Kind",
  "Status",
  "Created",
  "Duration",
  "Attempts",
  "Error",
] as const;

interface RunTableProps {
  readonly runs: readonly Run[];
  /** When they were read: those that run have lasted until then. */
  readonly readAt: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, isSelected: boolean) => void;
}

/** Runs, of which those can be selected that can be cancelled or run again. */
export function RunTable({ runs, readAt, selected, onSelect }: RunTableProps) {
  return (
    <Table label="Runs" columns={columns}>
      {runs.map((run) => (
        <TableRow
          key={run.id}
          cells={[
            (isCancellable(run) || isRepeatable(run)) && (
              <input
                type="checkbox"
                aria-label={`Select ${nameOf(run)} ${run.id}`}
                className="size-4 translate-y-0.5 accent-accent"
                checked={selected.has(run.id)}
                onChange={({ target }) => onSelect(run.id, target.checked)}
              />
            ),
            <div className="min-w-32">
              <Detail run={run}>{nameOf(run)}</Detail>
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
