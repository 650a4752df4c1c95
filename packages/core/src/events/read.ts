import { logs, type Queryable, statement } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import type { StoredEvent } from "./bus.ts";

/** Events of one page: enough to make reading worth while, and a bound on memory. */
export const PAGE_EVENTS = 500;

const readStatement = statement<{ logId: string; after: number }, StoredEvent>(
  "read_events",
  sql`
  select seq, type, payload from events
  where log_id = ${sql.placeholder("logId")} and seq > ${sql.placeholder("after")}
  order by seq limit ${sql.raw(String(PAGE_EVENTS))}`,
);

/** Reads the events after `after`, the oldest first, at most a page. */
export async function readEvents(
  db: Queryable,
  logId: string,
  after: number,
): Promise<StoredEvent[]> {
  return readStatement.execute(db, { logId, after });
}

/** The end of a log as it now is. Throws when the log does not exist. */
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

/** Whether the log is there: it is gone together with what it tells about. */
export async function logExists(db: Queryable, logId: string): Promise<boolean> {
  const rows = await db.select({ id: logs.id }).from(logs).where(eq(logs.id, logId));
  return rows.length > 0;
}
