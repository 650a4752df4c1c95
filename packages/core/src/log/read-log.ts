import { logs, type Queryable, statement } from "@parley/db";
import { eq, inArray, sql } from "drizzle-orm";
import type { StoredEvent } from "./bus.ts";

/** Events of one page. */
export const PAGE_EVENTS = 500;
/** Bytes of one page without its last event: what a slow follower may hold in memory. */
export const PAGE_BYTES = 128 * 1024;

/** Some events of a log, the oldest first. */
export interface Page {
  readonly events: readonly StoredEvent[];
  /** Number of the log's last event when the page was read. */
  readonly lastSeq: number;
  /** Whether no event can follow that one. */
  readonly closed: boolean;
}

type PageRow = { lastSeq: number; closed: boolean } & (
  | { [K in keyof StoredEvent]: null }
  | StoredEvent
);

// The bytes are counted without decompressing the events. The log's row comes with them, which tells a
// log without more events from a deleted one.
const readStatement = statement<{ logId: string; after: number }, PageRow>(
  "read_page",
  sql`
  select logs.last_seq as "lastSeq", logs.closed_at is not null as closed, page.seq, page.type, page.payload
  from logs left join lateral (
    select seq, type, payload from (
      select seq, type, payload,
        sum(octet_length(payload)) over (order by seq) - octet_length(payload) as bytes_before
      from (
        select seq, type, payload from events
        where log_id = logs.id and seq > ${sql.placeholder("after")}
        order by seq limit ${sql.raw(String(PAGE_EVENTS))}
      ) as following
    ) as sized
    where bytes_before < ${sql.raw(String(PAGE_BYTES))}
  ) as page on true
  where logs.id = ${sql.placeholder("logId")}
  order by page.seq`,
);

/** Reads the events after `after`, at most a page; undefined when there is no such log. */
export async function readPage(
  db: Queryable,
  logId: string,
  after: number,
): Promise<Page | undefined> {
  const rows = await readStatement.execute(db, { logId, after });
  const [first] = rows;
  if (first === undefined) return undefined;
  const events = rows.flatMap(({ seq, type, payload }) =>
    seq === null ? [] : [{ seq, type, payload }],
  );
  return { events, lastSeq: first.lastSeq, closed: first.closed };
}

/** Reads the events after `after` alone, at most a page. */
export async function readEvents(
  db: Queryable,
  logId: string,
  after: number,
): Promise<readonly StoredEvent[]> {
  return (await readPage(db, logId, after))?.events ?? [];
}

/** The current end of a log. Throws when the log does not exist. */
export async function readLogEnd(
  db: Queryable,
  logId: string,
): Promise<{ lastSeq: number; closed: boolean }> {
  const [log] = await db
    .select({ lastSeq: logs.lastSeq, closedAt: logs.closedAt })
    .from(logs)
    .where(eq(logs.id, logId));
  if (log === undefined) throw new Error(`There is no log ${logId}`);
  return { lastSeq: log.lastSeq, closed: log.closedAt !== null };
}

/** Whether nothing can follow in a log in which there is nothing: its readers have read it. */
export const isOver = ({ lastSeq, closed }: Pick<Page, "lastSeq" | "closed">): boolean =>
  closed && lastSeq === 0;

/** Numbers of the last events of those logs that exist, and are not over without one. */
export async function readLastSeqs(
  db: Queryable,
  logIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .select({ id: logs.id, lastSeq: logs.lastSeq, closedAt: logs.closedAt })
    .from(logs)
    .where(inArray(logs.id, [...logIds]));
  const open = rows.filter(
    ({ lastSeq, closedAt }) => !isOver({ lastSeq, closed: closedAt !== null }),
  );
  return new Map(open.map((row) => [row.id, row.lastSeq]));
}
