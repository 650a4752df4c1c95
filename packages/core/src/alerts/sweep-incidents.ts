import { statement } from "@parley/db";
import { INCIDENTS_KEPT_DAYS } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { DAY_MS } from "../measures/merge-sums.ts";

/** Rows that a statement deletes. */
const SWEPT_AT_ONCE = 1000;

const sweepStatement = statement<{ before: number }, { id: number }>(
  "sweep_incidents",
  sql`
  delete from alert_incidents where id = any(array(
    select id from alert_incidents where closed_at < ${sql.placeholder("before")}::bigint
    limit ${sql.raw(String(SWEPT_AT_ONCE))} for update skip locked
  ))
  returning id::float8 as id`,
);

/** Deletes incidents that ended long ago. Gives the number of rows, 0 when all are gone. */
export async function sweepIncidents({
  database,
  now,
}: Pick<Process, "database" | "now">): Promise<number> {
  const before = now() - INCIDENTS_KEPT_DAYS * DAY_MS;
  return (await sweepStatement.execute(database.db, { before })).length;
}
