import { type Queryable, statement, triggerEvents } from "@parley/db";
import {
  invalidRequest,
  type ListTriggerEvents,
  MAX_EVENT_BYTES,
  ParleyError,
  type QueuedTriggerEvents,
  type ReplayTriggerEvents,
  type TestTrigger,
  type TriggerEvent,
  type TriggerEventIdentity,
  type TriggerEventPage,
  type WholeTriggerEvent,
} from "@parley/schema";
import { and, desc, eq, getTableColumns, lt, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { storeEvent } from "./receive-event.ts";
import { requireTrigger, type TriggerRow } from "./trigger-rows.ts";

/** Events that one request replays. */
const MAX_QUEUED = 1000;

type EventRow = typeof triggerEvents.$inferSelect;

const {
  body: _body,
  headers: _headers,
  message: _message,
  ...listedColumns
} = getTableColumns(triggerEvents);

function renderEvent(
  { sid: triggerId }: Pick<TriggerRow, "sid">,
  row: Omit<EventRow, "body" | "headers" | "message">,
): TriggerEvent {
  const { sid: sId, status, onceKey: key, isSample, bytes, createdAt, finishedAt } = row;
  const { replays, started, error } = row;
  const times = { createdAt, finishedAt };
  return { sId, triggerId, status, key, isSample, bytes, ...times, replays, started, error };
}

const renderWhole = (trigger: Pick<TriggerRow, "sid">, row: EventRow): WholeTriggerEvent => ({
  ...renderEvent(trigger, row),
  headers: row.headers === null ? null : { ...row.headers },
  body: row.body === null ? null : Buffer.from(row.body).toString("utf8"),
  message: row.message,
});

/** Lists what a trigger has received, the newest first, a page at a time. Throws `trigger_not_found`. */
export async function listTriggerEvents(
  context: RequestContext,
  input: ListTriggerEvents,
): Promise<TriggerEventPage> {
  const { db } = context.database;
  const { row: trigger } = await requireTrigger(context, db, input);
  const { status, lastValue } = input;
  const { id, triggerId } = triggerEvents;
  const rows = await db
    .select(listedColumns)
    .from(triggerEvents)
    .where(
      and(
        eq(triggerId, trigger.id),
        status && eq(triggerEvents.status, status),
        lastValue === undefined ? undefined : lt(id, Number(lastValue)),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, (row) => row.id);
  return { events: page.map((row) => renderEvent(trigger, row)), ...end };
}

/** Reads what a trigger has received. Throws `trigger_not_found` and `trigger_event_not_found`. */
export async function getTriggerEvent(
  context: RequestContext,
  { eventId, ...named }: TriggerEventIdentity,
): Promise<{ event: WholeTriggerEvent }> {
  const { db } = context.database;
  const { row: trigger } = await requireTrigger(context, db, named);
  const [row] = await db
    .select()
    .from(triggerEvents)
    .where(and(eq(triggerEvents.triggerId, trigger.id), eq(triggerEvents.sid, eventId)));
  if (row !== undefined) return { event: renderWhole(trigger, row) };
  const message = "eventId: the trigger has received no such event";
  throw new ParleyError("trigger_event_not_found", message);
}

/** Throws `invalid_request_error` for a trigger that is switched off. */
function requireEnabled({ disabledFor }: TriggerRow): void {
  if (disabledFor === null) return;
  const message = "the trigger is switched off: switch it on first";
  throw invalidRequest("path", [{ path: "triggerId", message }]);
}

const replayStatement = statement<
  { triggerId: number; sids: string | null; limit: number },
  { queued: number }
>(
  "replay_trigger_events",
  sql`
  with chosen as (
    select e.id from trigger_events e
    where e.trigger_id = ${sql.placeholder("triggerId")}::bigint and e.body is not null and (
      case when ${sql.placeholder("sids")}::json is null then e.status = 'failed'
      else e.status <> 'waiting' and e.sid in (select value from json_array_elements_text(${sql.placeholder("sids")}::json))
      end)
    order by e.id limit ${sql.placeholder("limit")}::int
    for update
  ),
  again as (
    update trigger_events e set status = 'waiting', finished_at = null, replays = e.replays + 1,
      message = null, started = null, error = null
    from chosen where e.id = chosen.id
    returning e.id, e.sid, e.workspace_id, e.trigger_id, e.depth
  ),
  log as (insert into logs (id, last_seq, fence) select sid, 0, 0 from again),
  run as (
    insert into runs (kind, workspace_id, trigger_id, log_id, subject_id, status, priority, attempt, max_attempts,
      run_after, created_at, depth)
    select 'trigger_event', workspace_id, trigger_id, sid, id, 'waiting', 0, 0, 2, now(),
      (extract(epoch from now()) * 1000)::bigint, depth
    from again order by id
    returning log_id
  )
  select count(*)::int as queued from run`,
);

/**
 * Starts again what events of a trigger start, each as something new: those that are named, or all that have failed. Ignores
 * what waits, and what is not kept any more. Throws `trigger_not_found`, and `invalid_request_error` if the trigger is
 * switched off.
 */
export async function replayTriggerEvents(
  context: RequestContext,
  input: ReplayTriggerEvents,
): Promise<QueuedTriggerEvents> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row } = await requireTrigger(context, db, input);
    requireEnabled(row);
    const sids = input.eventIds === undefined ? null : JSON.stringify(input.eventIds);
    const values = { triggerId: row.id, sids, limit: MAX_QUEUED };
    const [{ queued } = { queued: 0 }] = await replayStatement.execute(db, values);
    afterCommit.push({ topic: "runs", cause: "added", kind: "trigger_event" });
    return { queued, hasMore: queued === MAX_QUEUED };
  });
}

/**
 * Tries a trigger with a sample: its filter and mapping run as for an event, and nothing is started. Throws like
 * `replayTriggerEvents`.
 */
export async function testTrigger(
  context: RequestContext,
  { body: given, headers = {}, ...named }: TestTrigger,
): Promise<{ event: WholeTriggerEvent }> {
  const body = Buffer.from(JSON.stringify(given));
  if (body.byteLength > MAX_EVENT_BYTES) {
    const message = `must be at most ${MAX_EVENT_BYTES} bytes of JSON`;
    throw invalidRequest("body", [{ path: "body", message }]);
  }
  const lowercase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const request = {
    headers: { "content-type": "application/json", ...Object.fromEntries(lowercase) } as const,
    body,
  };
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row } = await requireTrigger(context, db, named);
    requireEnabled(row);
    const id = await storeEvent(context, db, {
      receiver: row,
      request,
      key: undefined,
      origin: context.origin,
      status: "waiting",
      isSample: true,
    });
    afterCommit.push({ topic: "runs", cause: "added", kind: "trigger_event" });
    return { event: renderWhole(row, await requireStored(db, id)) };
  });
}

async function requireStored(db: Queryable, id: number | undefined): Promise<EventRow> {
  const [row] = await db
    .select()
    .from(triggerEvents)
    .where(eq(triggerEvents.id, id ?? 0));
  if (row === undefined) throw new Error("The sample was not stored");
  return row;
}
