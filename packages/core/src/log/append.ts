import { type Queryable, type Statement, statement } from "@parley/db";
import { type LogEvent, terminalTypes } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { Hint, StoredEvent } from "./bus.ts";
import { MAX_HINT_LENGTH, toPayload } from "./payloads.ts";
import { hasDeliveries, isToldToWebhooks, toldOfLogs } from "./webhook-outbox.ts";

/** Events for one log. */
export interface Append {
  readonly logId: string;
  readonly events: readonly LogEvent[];
  /**
   * The log that must be open, and held by the attempt `fence`, for the events to be written; by
   * default the log itself, held by any.
   */
  readonly guard?: Guard;
  /** Bytes of the answer whose end the events report to a conversation's log. */
  readonly answerBytes?: number | undefined;
}

export interface Guard {
  readonly logId: string;
  readonly fence: number;
  /**
   * Number of the guard's last event as its holder knows it. If the guard's log is ahead of it by some
   * of the given events, these are written already, without the holder having been notified: they are
   * not written again, and count as written. Any other number refuses the append, so that none can
   * follow a gap.
   */
  readonly lastSeq?: number | undefined;
}

/** Whether an event of the type closes its log. */
export function isTerminal(type: string): boolean {
  return terminalTypes.has(type);
}

/** Whether a row of `authorized` is the last of an append that an earlier call has written. */
function isRepeated(of: SQL): SQL {
  return sql`${of}.log_id = ${of}.guard_id and ${of}.place = ${of}.own and ${of}.done = ${of}.own
    and ${of}.expected is not null and (${of}.open or ${of}.closes)`;
}

// Taking the numbers, checking the fences and inserting are one statement; the locks are taken in
// the order of the ids, so that writers of many logs cannot deadlock. `locked` returns the newest version
// of each row, also if it waited for another writer.
//
// `done` is how many of a guard's own events are written already, `own` how many are given, and `place`
// the position of one. Events for other logs were written with the last of them.
const appendParts = sql`
  entries as (
    select * from json_to_recordset(${sql.placeholder("entries")}::json) as e(
      log_id text, ord int, type text, payload text, closes bool, guard_id text, fence int, expected int,
      answer_bytes bigint
    )
  ),
  locked as (
    select id, fence, last_seq, closed_at from logs
    where id in (select log_id from entries union select guard_id from entries)
    order by id for update
  ),
  authorized as (
    select e.*, locked.closed_at is null as open,
      coalesce(locked.last_seq - e.expected, 0) as done,
      count(*) filter (where e.log_id = e.guard_id) over (partition by e.guard_id) as own,
      row_number() over (partition by e.guard_id, e.log_id order by e.ord) as place
    from entries e join locked on locked.id = e.guard_id
    where e.fence is null or locked.fence = e.fence
  ),
  accepted as (
    select * from authorized
    where open and (
      expected is null
      or done between 0 and own - 1 and (log_id <> guard_id or place > done)
    )
  ),
  counted as (
    select log_id, count(*)::int as count, bool_or(closes) as closes,
      max(case when log_id = guard_id then done else 0 end) as done,
      coalesce(sum(answer_bytes), 0) as answer_bytes
    from accepted group by log_id
  ),
  numbered as (
    update logs set
      last_seq = logs.last_seq + counted.count,
      closed_at = case when counted.closes then now() end,
      answer_bytes = logs.answer_bytes + counted.answer_bytes
    from counted where logs.id = counted.log_id and logs.closed_at is null
    returning logs.id, logs.last_seq - counted.count as base, counted.count, counted.done
  ),
  placed as (
    select accepted.log_id,
      numbered.base + row_number() over (partition by accepted.log_id order by accepted.ord) as seq,
      accepted.type, accepted.payload
    from accepted join numbered on numbered.id = accepted.log_id
  ),
  inserted as (insert into events (log_id, seq, type, payload) select log_id, seq, type, payload from placed)`;

/** The same, with the deliveries of what webhooks are told of. */
const toldParts = sql`${appendParts}, ${toldOfLogs(sql`placed`)}`;

interface WrittenLog {
  readonly logId: string;
  /** Number of the event before the first given one. */
  readonly base: number;
  /** How many of the given events are written. */
  readonly count: number;
  /** Whether an earlier call had written some of them, or all. */
  readonly again: boolean;
  /** Whether webhooks are told of any of what the statement has written. */
  readonly hasDeliveries?: boolean;
}

// Recognises an append without new events to an open log, and the append that closed a closed one. Of the other
// logs that were written with it only the current end is known: their readers fetch what they miss.
const selectWritten = sql`
  select id as "logId", base - done as base, count + done as count, done > 0 as again
  from numbered
  union all
  select log_id, expected, own::int, true from authorized where ${isRepeated(sql`authorized`)}
  union all
  select id, last_seq, 0, true from locked
  where id in (
    select e.log_id from entries e join authorized a on a.log_id = e.guard_id
    where e.log_id <> e.guard_id and ${isRepeated(sql`a`)}
  ) and id not in (select id from numbered)`;

const appendStatement = statement<{ entries: string }, WrittenLog>(
  "append_events",
  sql`with ${appendParts} ${selectWritten}`,
);

const toldStatement = statement<{ entries: string }, WrittenLog>(
  "append_told_events",
  sql`with ${toldParts} select written.*, ${hasDeliveries} as "hasDeliveries" from (${selectWritten}) written`,
);

/** A statement that appends, with further parts for the logs that were written (`numbered`). */
export type AppendingStatement<Values extends Record<string, unknown>, More> = Statement<
  Values & { entries: string },
  WrittenLog & More
>;

/**
 * Creates a statement of an append and further parts (`name as (…), …`) that see its results; `more`
 * are columns (`, value as name`) that each of its rows has.
 */
export function appendingStatement<Values extends Record<string, unknown>, More = unknown>(
  name: string,
  parts: SQL,
  more: SQL = sql``,
): AppendingStatement<Values, More> {
  const text = sql`
    with ${toldParts}, ${parts}
    select written.*, ${hasDeliveries} as "hasDeliveries" ${more} from (${selectWritten}) written`;
  return statement(name, text);
}

/**
 * Appends to any number of logs, and gives the new ends of those that were written. Skips an append
 * whose guard is closed or held by another attempt. Adds hints to `hints`, to be published after the
 * commit.
 */
export async function appendEvents(
  db: Queryable,
  appends: readonly Append[],
  hints: Hint[],
): Promise<Map<string, number>> {
  const isTold = appends.some(({ events }) => events.some(isToldToWebhooks));
  const append = isTold ? toldStatement : appendStatement;
  return appendWith(appends, hints, (entries) => append.execute(db, { entries }));
}

/** The same, with an appending statement of the caller's. */
export async function appendWith(
  appends: readonly Append[],
  hints: Hint[],
  execute: (entries: string) => Promise<WrittenLog[]>,
): Promise<Map<string, number>> {
  const written = new Map<string, number>();
  const entries = appends.flatMap(({ logId, events, guard, answerBytes }) =>
    events.map((event, index) => ({
      log_id: logId,
      type: event.type,
      payload: toPayload(event),
      closes: isTerminal(event.type),
      guard_id: guard?.logId ?? logId,
      fence: guard?.fence ?? null,
      expected: guard?.lastSeq ?? null,
      // Only in the first event; JSON leaves out what is undefined.
      answer_bytes: index === 0 ? answerBytes : undefined,
    })),
  );
  if (entries.length === 0) return written;
  const rows = await execute(JSON.stringify(entries.map((entry, ord) => ({ ...entry, ord }))));
  if (rows[0]?.hasDeliveries) hints.push({ topic: "runs", cause: "added", kind: "delivery" });
  const byLog = Map.groupBy(entries, (entry) => entry.log_id);
  for (const { logId, base, count, again } of rows) {
    written.set(logId, base + count);
    const ofLog = byLog.get(logId) ?? [];
    const hint = { topic: `log:${logId}`, lastSeq: base + count } as const;
    const length = ofLog.reduce((sum, { payload }) => sum + payload.length, 0);
    // If some entries of a log were refused, readers fetch the others. What an earlier call has written may
    // differ from what this one was given, as in its times: readers get what was committed.
    const isCarried = !again && ofLog.length === count && length <= MAX_HINT_LENGTH;
    const stored = ofLog.map(({ type, payload }, index): StoredEvent => {
      return { seq: base + index + 1, type, payload };
    });
    hints.push(isCarried ? { ...hint, events: stored } : hint);
  }
  return written;
}
