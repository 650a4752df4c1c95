import { type Queryable, type Statement, statement } from "@parley/db";
import type { LogEvent } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { Hint, StoredEvent } from "./bus.ts";

/** Events for one log. */
export interface Append {
  readonly logId: string;
  readonly events: readonly LogEvent[];
  /**
   * The log that must be open, and held by this attempt where one is given, for the events to be
   * written; the log itself by default.
   */
  readonly guard?: { readonly logId: string; readonly fence: number };
}

/** Types that end their log. */
const terminalTypes: ReadonlySet<string> = new Set([
  "agent_message_success",
  "agent_error",
  "agent_generation_cancelled",
  "sandbox_function_invocation_result",
  "sandbox_function_invocation_error",
]);

/** Characters of the events that a hint carries; of more, it only says that they are there. */
const MAX_HINT_LENGTH = 64 * 1024;

/** Whether an event of the type closes its log. */
export function isTerminal(type: string): boolean {
  return terminalTypes.has(type);
}

// Taking the numbers, checking the fences and inserting are one statement; the locks are taken in
// the order of the ids, so that writers of many logs cannot deadlock each other. What `locked`
// returns is the newest version of each row, also where it had to wait for another writer.
const appendParts = sql`
  entries as (
    select * from json_to_recordset(${sql.placeholder("entries")}::json)
      as e(log_id text, ord int, type text, payload text, closes bool, guard_id text, fence int)
  ),
  locked as (
    select id, fence, closed_at from logs
    where id in (select log_id from entries union select guard_id from entries)
    order by id for update
  ),
  accepted as (
    select e.* from entries e join locked on locked.id = e.guard_id
    where locked.closed_at is null and (e.fence is null or locked.fence = e.fence)
  ),
  counted as (
    select log_id, count(*)::int as count, bool_or(closes) as closes from accepted group by log_id
  ),
  numbered as (
    update logs set
      last_seq = logs.last_seq + counted.count,
      closed_at = case when counted.closes then now() end
    from counted where logs.id = counted.log_id and logs.closed_at is null
    returning logs.id, logs.last_seq - counted.count as base, counted.count
  ),
  inserted as (
    insert into events (log_id, seq, type, payload)
    select accepted.log_id,
      numbered.base + row_number() over (partition by accepted.log_id order by accepted.ord),
      accepted.type, accepted.payload
    from accepted join numbered on numbered.id = accepted.log_id
  )`;

interface WrittenLog {
  readonly logId: string;
  readonly base: number;
  readonly count: number;
}

const selectWritten = sql`select id as "logId", base, count from numbered`;

const appendStatement = statement<{ entries: string }, WrittenLog>(
  "append_events",
  sql`with ${appendParts} ${selectWritten}`,
);

/** A statement that appends and, for the logs that were written (`numbered`), does what `parts` say. */
export type AppendingStatement<Values extends Record<string, unknown>> = Statement<
  Values & { entries: string },
  WrittenLog
>;

/** Makes a statement of an append and further parts (`name as (…), …`) that see its results. */
export function appendingStatement<Values extends Record<string, unknown>>(
  name: string,
  parts: SQL,
): AppendingStatement<Values> {
  return statement(name, sql`with ${appendParts}, ${parts} ${selectWritten}`);
}

/**
 * Appends to any number of logs. An append whose guard is closed, or held by another attempt, is
 * left out alone; the result holds the ids of the logs that were written. Leaves the hints of what
 * was written in `hints`: publish them after the commit.
 */
export async function appendEvents(
  db: Queryable,
  appends: readonly Append[],
  hints: Hint[],
): Promise<Set<string>> {
  return appendWith(appends, hints, (entries) => appendStatement.execute(db, { entries }));
}

/** The same, with a statement of the caller's that appends. */
export async function appendWith(
  appends: readonly Append[],
  hints: Hint[],
  execute: (entries: string) => Promise<WrittenLog[]>,
): Promise<Set<string>> {
  const written = new Set<string>();
  const entries = appends.flatMap(({ logId, events, guard }) =>
    events.map((event) => ({
      log_id: logId,
      type: event.type,
      payload: JSON.stringify(event),
      closes: isTerminal(event.type),
      guard_id: guard?.logId ?? logId,
      fence: guard?.fence ?? null,
    })),
  );
  if (entries.length === 0) return written;
  const rows = await execute(JSON.stringify(entries.map((entry, ord) => ({ ...entry, ord }))));
  const byLog = Map.groupBy(entries, (entry) => entry.log_id);
  for (const { logId, base, count } of rows) {
    written.add(logId);
    const ofLog = byLog.get(logId) ?? [];
    const hint = { topic: `log:${logId}`, lastSeq: base + count } as const;
    const length = ofLog.reduce((sum, { payload }) => sum + payload.length, 0);
    // Where part of a log's entries was refused, readers fetch what was not.
    const isCarried = ofLog.length === count && length <= MAX_HINT_LENGTH;
    hints.push(isCarried ? { ...hint, events: toStored(ofLog, base) } : hint);
  }
  return written;
}

function toStored(
  entries: readonly { type: string; payload: string }[],
  base: number,
): StoredEvent[] {
  return entries.map(({ type, payload }, index) => ({ seq: base + index + 1, type, payload }));
}
