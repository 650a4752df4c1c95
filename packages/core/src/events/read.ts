import { events, logs, type Queryable } from "@parley/db";
import { and, asc, eq, gt } from "drizzle-orm";
import type { StoredEvent } from "./bus.ts";

/** Events of one page: enough to make reading worth while, and a bound on memory. */
export const PAGE_EVENTS = 500;

/** Reads the events after `after`, the oldest first, at most a page. */
export async function readEvents(
  db: Queryable,
  logId: string,
  after: number,
): Promise<StoredEvent[]> {
  return db
    .select({ seq: events.seq, type: events.type, payload: events.payload })
    .from(events)
    .where(and(eq(events.logId, logId), gt(events.seq, after)))
    .orderBy(asc(events.seq))
    .limit(PAGE_EVENTS);
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
