import { heldWorkspaces, type Queryable, statement } from "@parley/db";
import type { InvocationEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process, RequestContext, RunOrigin } from "../context.ts";
import type { AddToBatch } from "../data-access/batcher.ts";
import { toColumns } from "../data-access/row-json.ts";
import type { InvocationRow } from "../data-access/rows.ts";
import type { CheckedInput } from "../functions/check-values.ts";
import type { InvocableFunction } from "../functions/sandbox-functions.ts";
import { isTerminal } from "../log/append.ts";
import { createBatchedInsert } from "../log/batched-inserts.ts";
import type { Hint } from "../log/bus.ts";
import type { Transaction } from "../log/transaction.ts";
import { MAX_DEATHS } from "../runs/deaths.ts";
import { errorEvent, renderInvocation } from "./render-invocation.ts";

/** The parts of a new invocation. */
export interface InvocationRequest {
  readonly sandboxFunction: InvocableFunction;
  readonly workspaceId: number;
  /** The key that invokes; null where an agent does. */
  readonly apiKeyId: number | null;
  /** The tool call that invokes; null where a key does. */
  readonly actionId: number | null;
  readonly input: CheckedInput;
  readonly timezone: string | null;
}

/** An invocation that is not written yet. */
export interface NewInvocation {
  readonly row: Omit<InvocationRow, "id">;
  /** The events of its log. */
  readonly events: readonly InvocationEvent[];
  readonly maxAttempts: number;
  readonly origin: RunOrigin | undefined;
}

/** What writes invocations. */
export interface InvocationServices {
  /** Writes a new invocation; concurrent writes share a commit. */
  readonly writeInvocation: AddToBatch<NewInvocation, void>;
}

/** Builds an invocation and its log: input that the function's schema refuses ends it at once. */
export function buildInvocation(
  core: Process & Pick<RequestContext, "origin">,
  request: InvocationRequest,
): NewInvocation {
  const { sandboxFunction, workspaceId, apiKeyId, actionId, input, timezone } = request;
  const { definition } = sandboxFunction;
  const { origin } = core;
  const createdAt = core.now();
  const { error } = input;
  const row = {
    sid: core.newId("sfi"),
    workspaceId,
    functionId: sandboxFunction.id,
    functionVersion: definition.version,
    apiKeyId,
    actionId,
    status: "created" as const,
    input: input.json,
    timezone,
    result: null,
    error: null,
    createdAt,
    finishedAt: null,
  };
  const started = {
    type: "sandbox_function_invocation_created" as const,
    created: createdAt,
    invocation: renderInvocation(row, sandboxFunction.sid),
  };
  const maxAttempts = definition.retryable ? MAX_DEATHS : 1;
  if (error === undefined) return { row, events: [started], maxAttempts, origin };
  const { sid } = row;
  const refused = errorEvent({ sid, functionSid: sandboxFunction.sid }, createdAt, error);
  const ended = { ...row, status: "errored" as const, error, finishedAt: createdAt };
  return { row: ended, events: [started, refused], maxAttempts, origin };
}

/**
 * Starts an invocation in a transaction of the caller's: row, log, its first event and run. If the
 * function's schema refuses the input, it has ended, `errored` with `invalid_input`, and has no run.
 */
export async function insertInvocation(
  core: Process,
  { db, afterCommit }: Transaction,
  request: InvocationRequest,
): Promise<InvocationRow> {
  const created = buildInvocation(core, request);
  const [row] = await writeInvocations(db, [created]);
  if (row === undefined) throw new Error("The invocation was not written");
  afterCommit.push(...hintsOf([created]));
  return row;
}

const insertStatement = statement<
  { workspaceIds: string; invocations: string; logs: string; events: string; runs: string },
  { id: number; sid: string }
>(
  "insert_invocations",
  sql`
  with ${heldWorkspaces},
  invocation as (
    insert into invocations (sid, workspace_id, function_id, function_version, api_key_id, action_id,
      status, input, timezone, result, error, created_at, finished_at)
    select sid, workspace_id, function_id, function_version, api_key_id, action_id,
      status, input, timezone, result, error, created_at, finished_at
    from held,
      json_populate_recordset(null::invocations, ${sql.placeholder("invocations")}::json)
    where is_held
    returning id, sid, workspace_id, function_id, created_at
  ),
  log as (
    insert into logs (id, last_seq, fence, closed_at)
    select id, last_seq, 0, case when closed then now() end
    from json_to_recordset(${sql.placeholder("logs")}::json)
      as l(id text, last_seq int, closed bool)
  ),
  event as (
    insert into events (log_id, seq, type, payload)
    select log_id, seq, type, payload
    from json_to_recordset(${sql.placeholder("events")}::json)
      as e(log_id text, seq int, type text, payload text)
  ),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, function_id, status, priority, attempt,
      max_attempts, run_after, created_at, request_id, traceparent)
    select 'invocation', i.workspace_id, i.sid, i.id, i.function_id, 'waiting', 0, 0,
      r.max_attempts, now(), i.created_at, r.request_id, r.traceparent
    from json_to_recordset(${sql.placeholder("runs")}::json)
      as r(log_id text, max_attempts int, request_id text, traceparent text)
    join invocation i on i.sid = r.log_id
  )
  select id, sid from invocation`,
);

/** Writes invocations, their logs and their runs in one statement; gives the rows in their order. */
export async function writeInvocations(
  db: Queryable,
  created: readonly NewInvocation[],
): Promise<InvocationRow[]> {
  const written = await insertStatement.execute(db, {
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
    runs: JSON.stringify(
      created
        .filter(({ row }) => row.status === "created")
        .map(({ row, maxAttempts, origin }) => ({
          log_id: row.sid,
          max_attempts: maxAttempts,
          request_id: origin?.requestId,
          traceparent: origin?.traceparent,
        })),
    ),
  });
  const ids = new Map(written.map(({ id, sid }) => [sid, id]));
  return created.map(({ row }) => ({ ...row, id: ids.get(row.sid)! }));
}

/** The hints of written invocations: a new log has no followers. */
export function hintsOf(created: readonly NewInvocation[]): Hint[] {
  return created.some(({ row }) => row.status === "created")
    ? [{ topic: "runs", cause: "added", kind: "invocation" }]
    : [];
}

/** Creates the writer of a process; concurrent writes share a commit. */
export function createInvocationWriter(db: Queryable): AddToBatch<NewInvocation, void> {
  return createBatchedInsert(db, {
    insert: async (created: readonly NewInvocation[]) => {
      await writeInvocations(db, created);
      return () => undefined;
    },
    logIdOf: ({ row }) => row.sid,
    lengthOf: ({ row }) => row.input.length,
  });
}
