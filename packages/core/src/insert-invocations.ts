import { type Queryable, statement } from "@parley/db";
import type { InvocationEvent } from "@parley/schema";
import { sql } from "drizzle-orm";
import { createBatcher } from "./batcher.ts";
import { toColumns } from "./columns.ts";
import { checkInput } from "./checked-values.ts";
import type { Core, RequestContext, RunOrigin, Transaction } from "./context.ts";
import { isTerminal } from "./events/append.ts";
import type { Hint } from "./events/bus.ts";
import { renderInvocation } from "./render-invocation.ts";
import type { InvocationRow } from "./rows.ts";
import type { InvocableFunction } from "./sandbox-functions.ts";

/** Attempts of a function that may be run again; another has one. */
const RETRYABLE_ATTEMPTS = 5;

/** What an invocation is made of. */
export interface InvocationRequest {
  readonly sandboxFunction: InvocableFunction;
  readonly workspaceId: number;
  /** The key that invokes; null where an agent does. */
  readonly apiKeyId: number | null;
  /** The tool call that it is; null where a key invokes. */
  readonly actionId: number | null;
  /** Any JSON. */
  readonly input: unknown;
  readonly timezone: string | null;
}

/** An invocation that is not yet written. */
export interface NewInvocation {
  readonly row: Omit<InvocationRow, "id">;
  /** Its log, from the beginning. */
  readonly events: readonly InvocationEvent[];
  readonly maxAttempts: number;
  readonly origin: RunOrigin | undefined;
}

/**
 * Makes an invocation with the log that it begins with: where the function's schema refuses the
 * input, that ends it at once.
 */
export function buildInvocation(
  core: Core & Pick<RequestContext, "origin">,
  request: InvocationRequest,
): NewInvocation {
  const { sandboxFunction, workspaceId, apiKeyId, actionId, input, timezone } = request;
  const { definition } = sandboxFunction;
  const { origin } = core;
  const createdAt = core.now();
  const error = checkInput(definition, input);
  const row = {
    sid: core.newId("sfi"),
    workspaceId,
    functionId: sandboxFunction.id,
    functionVersion: definition.version,
    apiKeyId,
    actionId,
    status: "created" as const,
    input: JSON.stringify(input ?? null),
    timezone,
    result: null,
    error: null,
    createdAt,
    finishedAt: null,
  };
  const created = {
    type: "sandbox_function_invocation_created" as const,
    created: createdAt,
    invocation: renderInvocation(row, sandboxFunction.sid),
  };
  const maxAttempts = definition.retryable ? RETRYABLE_ATTEMPTS : 1;
  if (error === undefined) return { row, events: [created], maxAttempts, origin };
  const refused = {
    type: "sandbox_function_invocation_error" as const,
    created: createdAt,
    invocationId: row.sid,
    functionId: sandboxFunction.sid,
    error,
  };
  const ended = { ...row, status: "errored" as const, error, finishedAt: createdAt };
  return { row: ended, events: [created, refused], maxAttempts, origin };
}

/**
 * Starts an invocation in a transaction of the caller's: row, log, its first event and run. Input
 * that the function's schema refuses makes one that has ended, `errored` with `invalid_input`, and
 * has no run: look at the `status` of the row.
 */
export async function insertInvocation(
  core: Core,
  { db, afterCommit }: Transaction,
  request: InvocationRequest,
): Promise<InvocationRow> {
  const made = buildInvocation(core, request);
  const [row] = await writeInvocations(db, [made]);
  if (row === undefined) throw new Error("The invocation was not written");
  afterCommit.push(...hintsOf([made]));
  return row;
}

// Who has ended already needs no run.
const insertStatement = statement<
  { invocations: string; logs: string; events: string; runs: string },
  { id: number; sid: string }
>(
  "insert_invocations",
  sql`
  with invocation as (
    insert into invocations (sid, workspace_id, function_id, function_version, api_key_id, action_id,
      status, input, timezone, result, error, created_at, finished_at)
    select sid, workspace_id, function_id, function_version, api_key_id, action_id,
      status, input, timezone, result, error, created_at, finished_at
    from json_populate_recordset(null::invocations, ${sql.placeholder("invocations")}::json)
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
  made: readonly NewInvocation[],
): Promise<InvocationRow[]> {
  const written = await insertStatement.execute(db, {
    invocations: JSON.stringify(made.map(({ row }) => toColumns(row))),
    logs: JSON.stringify(
      made.map(({ row, events }) => ({
        id: row.sid,
        last_seq: events.length,
        closed: events.some(({ type }) => isTerminal(type)),
      })),
    ),
    events: JSON.stringify(
      made.flatMap(({ row, events }) =>
        events.map((event, index) => ({
          log_id: row.sid,
          seq: index + 1,
          type: event.type,
          payload: JSON.stringify(event),
        })),
      ),
    ),
    runs: JSON.stringify(
      made
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
  return made.map(({ row }) => ({ ...row, id: ids.get(row.sid)! }));
}

/** The hints of written invocations: nobody follows the log of a new one yet. */
export function hintsOf(made: readonly NewInvocation[]): Hint[] {
  return made.some(({ row }) => row.status === "created")
    ? [{ topic: "runs", cause: "added", kind: "invocation" }]
    : [];
}

/** Invocations of one statement at most, and the characters that one may have to share it. */
const MAX_TOGETHER = 64;
const MAX_SHARED_CHARACTERS = 64 * 1024;

/** Makes what writes the invocations of a process: those that come together share a commit. */
export function createInvocationWriter(db: Queryable): (made: NewInvocation) => Promise<void> {
  const write = async (made: readonly NewInvocation[]) => {
    await writeInvocations(db, made);
    return () => undefined;
  };
  const batched = createBatcher<NewInvocation, void>(write, MAX_TOGETHER);
  return async (made) => {
    if (made.row.input.length > MAX_SHARED_CHARACTERS) await write([made]);
    else await batched(made);
  };
}
