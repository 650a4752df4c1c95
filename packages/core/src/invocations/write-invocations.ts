import { hasRow, heldWorkspaces, type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { AddToBatch } from "../data-access/batcher.ts";
import { toColumns } from "../data-access/row-json.ts";
import type { InvocationRow } from "../data-access/rows.ts";
import { isTerminal } from "../log/append.ts";
import { createBatchedInsert } from "../log/batched-inserts.ts";
import type { EventBus, Hint } from "../log/bus.ts";
import type { Transaction } from "../log/transaction.ts";
import { hasDeliveries, isToldToWebhooks, toldOfLogs } from "../log/webhook-outbox.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { traceOf } from "../runs/span-ids.ts";
import { limitsProcessor } from "../usage/processor-limits.ts";
import { buildInvocation, type InvocationRequest, type NewInvocation } from "./new-invocations.ts";

/** A written invocation, and the number of its run if that is held. */
export interface WrittenInvocation {
  readonly row: InvocationRow;
  readonly heldRunId: number | null;
}

/** What writes invocations. */
export interface InvocationServices {
  /**
   * Writes a new invocation; concurrent writes share a commit. Gives undefined if the acknowledgement
   * was lost.
   */
  readonly writeInvocation: AddToBatch<NewInvocation, WrittenInvocation | undefined>;
}

/**
 * Starts invocations in a transaction of the caller's: rows, logs, their first events and runs. One whose
 * input the function's schema refuses has ended, `errored` with `invalid_input`, and so has its run.
 */
export async function insertInvocations(
  core: Process,
  { db, afterCommit }: Transaction,
  requests: readonly InvocationRequest[],
): Promise<InvocationRow[]> {
  if (requests.length === 0) return [];
  const created = requests.map((request) => buildInvocation(core, request));
  const writtenOf = await writeInvocations(db, created, afterCommit);
  afterCommit.push(...hintsOf(created));
  return created.map((one) => writtenOf(one).row);
}

/** The hints of written invocations that nobody holds: a new log has no followers. */
export function hintsOf(created: readonly NewInvocation[]): Hint[] {
  return created.some(({ row }) => row.status === "created")
    ? [{ topic: "runs", cause: "added", kind: "invocation" }]
    : [];
}

const firstEvents = sql`
  select log_id, seq, type, payload
  from json_to_recordset(${sql.placeholder("events")}::json)
    as e(log_id text, seq int, type text, payload text)`;

// The trace of the run that calls, which is its own unless a request named another.
const callersSpan = sql`
  '00-' || coalesce(split_part(caller.traceparent, '-', 2), w.within_trace) || '-' || w.within_span || '-'
    || coalesce(split_part(caller.traceparent, '-', 4), '01')`;

// A run is held at once only if a claim would take it now: within the limits of its function and its
// workspace, which hold for all workers together, and if no other of the workspace waits. Where processor time is
// limited, the claim decides.
const insertParts = sql`${heldWorkspaces},
  wanted as (
    select * from json_to_recordset(${sql.placeholder("runs")}::json)
      as r(log_id text, workspace_id bigint, function_id bigint, max_attempts int, request_id text,
        traceparent text, depth int, within_log text, within_span text, within_trace text, worker_id text,
        lease_ms int, per_workspace int, outcome text, finished_at bigint)
  ),
  running as materialized (
    select * from try_lock_running_invocations(
      array(select distinct workspace_id from wanted where worker_id is not null)
    )
  ),
  placed as materialized (
    select w.log_id,
      w.worker_id is not null
      and not exists (select from running where workspace_id is null)
      and not ${hasRow(sql`
        from runs earlier where earlier.workspace_id = w.workspace_id
          and earlier.status = 'waiting' and earlier.kind = 'invocation'`)}
      and not ${limitsProcessor(sql`w.workspace_id`)}
      and row_number() over (partition by w.workspace_id order by w.log_id) + coalesce(
        (select sum(running) from running r where r.workspace_id = w.workspace_id), 0
      ) <= w.per_workspace
      and row_number() over (partition by w.function_id order by w.log_id) + coalesce(
        (select running from running r where r.function_id = w.function_id), 0
      ) <= coalesce(v.max_concurrent, 1) as is_held
    from wanted w
    left join sandbox_functions f on f.id = w.function_id
    left join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
    where w.outcome is null
  ),
  invocation as (
    insert into invocations (sid, workspace_id, function_id, function_version, api_key_id, owner_id, action_id,
      status, input, timezone, result, error, created_at, finished_at)
    select sid, workspace_id, function_id, function_version, api_key_id, owner_id, action_id,
      status, input, timezone, result, error, created_at, finished_at
    from held,
      json_populate_recordset(null::invocations, ${sql.placeholder("invocations")}::json)
    where is_held
    returning id, sid, created_at
  ),
  log as (
    insert into logs (id, last_seq, fence, closed_at)
    select l.id, l.last_seq, case when placed.is_held then 1 else 0 end, case when l.closed then now() end
    from json_to_recordset(${sql.placeholder("logs")}::json) as l(id text, last_seq int, closed bool)
    left join placed on placed.log_id = l.id
  ),
  event as (
    insert into events (log_id, seq, type, payload)
    ${firstEvents}
  ),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, function_id, status, priority, attempt,
      max_attempts, run_after, created_at, request_id, traceparent, depth, worker_id, lease_until,
      started_at, outcome, finished_at)
    select 'invocation', w.workspace_id, i.sid, i.id, w.function_id,
      case when w.outcome is not null then 'finished' when p.is_held then 'running' else 'waiting' end, 0, case when p.is_held then 1 else 0 end,
      w.max_attempts, now(), i.created_at, coalesce(w.request_id, caller.request_id),
      coalesce(w.traceparent, ${callersSpan}), coalesce(w.depth, caller.depth, 0),
      case when p.is_held then w.worker_id end,
      case when p.is_held then now() + w.lease_ms * interval '1 millisecond' end,
      case when p.is_held then i.created_at end, w.outcome, w.finished_at
    from wanted w left join placed p on p.log_id = w.log_id join invocation i on i.sid = w.log_id
    left join runs caller on caller.log_id = w.within_log
    returning id, log_id, workspace_id, status
  )`;

const selectWritten = sql`
  select i.id, i.sid, case when run.status = 'running' then run.id end as "heldRunId"
  from invocation i left join run on run.log_id = i.sid`;

interface Values extends Record<string, unknown> {
  readonly workspaceIds: string;
  readonly invocations: string;
  readonly logs: string;
  readonly events: string;
  readonly runs: string;
}

interface Written {
  readonly id: number;
  readonly sid: string;
  readonly heldRunId: number | null;
  /** Whether webhooks are told of any of what the statement has written. */
  readonly hasDeliveries?: boolean;
}

const insertStatement = statement<Values, Written>(
  "insert_invocations",
  sql`with ${insertParts} ${selectWritten}`,
);

/** The same, with the deliveries of those that have ended. */
const toldStatement = statement<Values, Written>(
  "insert_told_invocations",
  sql`
  with ${insertParts}, ${toldOfLogs(sql`(${firstEvents})`, sql`run`)}
  select written.*, ${hasDeliveries} as "hasDeliveries" from (${selectWritten}) written`,
);

/**
 * Writes invocations, their logs and their runs in one statement, and gives what it wrote of each; adds a hint to `hints`
 * if webhooks are told.
 */
export async function writeInvocations(
  db: Queryable,
  created: readonly NewInvocation[],
  hints: Hint[],
): Promise<(one: NewInvocation) => WrittenInvocation> {
  const isTold = created.some(({ events }) => events.some(isToldToWebhooks));
  const written = await (isTold ? toldStatement : insertStatement).execute(db, {
    workspaceIds: JSON.stringify(created.map(({ row }) => row.workspaceId)),
    invocations: JSON.stringify(created.map(({ row }) => toColumns(row))),
    logs: JSON.stringify(
      created.map(({ row, events }) => ({
        id: row.sid,
        last_seq: events.length,
        closed: events.some(({ type }) => isTerminal(type)),
      })),
    ),
    events: JSON.stringify(
      created.flatMap(({ row, events }) =>
        events.map((event, index) => ({
          log_id: row.sid,
          seq: index + 1,
          type: event.type,
          payload: JSON.stringify(event),
        })),
      ),
    ),
    runs: JSON.stringify(created.map(toRun)),
  });
  if (written[0]?.hasDeliveries) hints.push({ topic: "runs", cause: "added", kind: "delivery" });
  const bySid = new Map(written.map((one) => [one.sid, one]));
  return ({ row }) => {
    const { id, heldRunId } = bySid.get(row.sid)!;
    return { row: { ...row, id }, heldRunId };
  };
}

function toRun({ row, maxAttempts, origin, within, holder }: NewInvocation) {
  return {
    log_id: row.sid,
    workspace_id: row.workspaceId,
    function_id: row.functionId,
    max_attempts: maxAttempts,
    request_id: origin?.requestId,
    traceparent: origin?.traceparent,
    depth: origin?.depth,
    ...(within && {
      within_log: within.logId,
      within_span: within.spanId,
      within_trace: traceOf(within.logId, null).traceId,
    }),
    worker_id: holder?.workerId,
    lease_ms: holder?.leaseMs,
    per_workspace: holder?.perWorkspace,
    ...(row.status !== "created" && { outcome: row.status, finished_at: row.finishedAt }),
  };
}

/** The run of a written invocation if it is held, as a claim would give it. */
export function toHeldRuns(
  workspaceSid: string,
  { origin }: NewInvocation,
  { row, heldRunId }: WrittenInvocation,
): ClaimedRun<InvocationRow>[] {
  if (heldRunId === null) return [];
  const run = {
    id: heldRunId,
    kind: "invocation" as const,
    workspaceId: row.workspaceId,
    workspaceSid,
    requestId: origin?.requestId ?? null,
    traceparent: origin?.traceparent ?? null,
    // The invocation itself has its key.
    apiKeyId: null,
    userId: null,
    logId: row.sid,
    subjectId: row.id,
    attempt: 1,
    lastSeq: 1,
    exhausted: false,
    subject: row,
  };
  return [run];
}

/** Creates the writer of a process; concurrent writes share a commit. */
export function createInvocationWriter(
  db: Queryable,
  bus: Pick<EventBus, "publish">,
): InvocationServices["writeInvocation"] {
  return createBatchedInsert(db, {
    insert: async (created: readonly NewInvocation[]) => {
      const hints: Hint[] = [];
      const writtenOf = await writeInvocations(db, created, hints);
      bus.publish(hints);
      return writtenOf;
    },
    logIdOf: ({ row }) => row.sid,
    workspaceIdOf: ({ row }) => row.workspaceId,
    lengthOf: ({ row }) => row.input.length,
  });
}
