import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";

// Only transactions that have written something: an export reads for hours.
const oldestWriter = statement<Record<string, never>, { ageMs: number }>(
  "find_oldest_writer",
  sql`
  select coalesce(max(extract(epoch from clock_timestamp() - xact_start)) * 1000, 0)::float8 as "ageMs"
  from pg_stat_activity
  where datname = current_database() and backend_xid is not null and xact_start is not null
    and pid <> pg_backend_pid()`,
);

/**
 * How long ago the oldest open transaction began that has written something, in milliseconds; 0 if there is none. What
 * was dated before is committed by now, or was never written.
 */
export async function findOldestWriterMs(db: Queryable): Promise<number> {
  const [oldest] = await oldestWriter.execute(db, {});
  return oldest?.ageMs ?? 0;
}
