import { measureDeltas, measureSums, type Queryable, statement } from "@parley/db";
import { HOURS_KEPT_DAYS_OF_MEASURES, MINUTES_KEPT_DAYS } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { DAY_MS } from "./merge-sums.ts";

/** Rows that a statement deletes. */
const SWEPT_AT_ONCE = 5000;

const sweepStatement = statement<{ minutesBefore: number; hoursBefore: number }, { rows: number }>(
  "sweep_measures",
  sql`
  with old as (
    delete from measure_sums where ctid = any(array(
      select s.ctid
      from (values ('minute', ${sql.placeholder("minutesBefore")}::bigint), ('hour', ${sql.placeholder("hoursBefore")}::bigint),
        ('day', ${sql.placeholder("hoursBefore")}::bigint)) p(period, before)
      cross join unnest(array['all', 'agent', 'model', 'tool', 'key', 'user', 'workspace']) d(dimension)
      join measure_sums s
        on s.period = p.period and s.dimension = d.dimension and s.starts_at < p.before
      limit ${sql.raw(String(SWEPT_AT_ONCE))} for update of s skip locked
    ))
    returning 1
  )
  select count(*)::int as rows from old`,
);

/** Deletes sums that are too old. Gives the number of rows, 0 when all are gone. */
export async function sweepMeasures({
  database,
  now,
}: Pick<Process, "database" | "now">): Promise<number> {
  const at = now();
  const [swept] = await sweepStatement.execute(database.db, {
    minutesBefore: at - MINUTES_KEPT_DAYS * DAY_MS,
    hoursBefore: at - HOURS_KEPT_DAYS_OF_MEASURES * DAY_MS,
  });
  return swept?.rows ?? 0;
}

/** Deletes the sums of a workspace that is being deleted, after what is being written. */
export async function deleteMeasures(db: Queryable, workspaceId: number): Promise<void> {
  await db.execute(sql`select from measure_positions where name = 'answers' for update`);
  await db.delete(measureDeltas).where(eq(measureDeltas.workspaceId, workspaceId));
  await db.delete(measureSums).where(eq(measureSums.workspaceId, workspaceId));
}
