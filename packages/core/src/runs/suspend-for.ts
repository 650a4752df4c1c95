import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";

const suspendStatement = statement<{ logId: string; delayMs: number }>(
  "suspend_for",
  sql`
  with left_log as (update logs set fence = fence + 1 where id = ${sql.placeholder("logId")})
  update runs set status = 'suspended', lease_until = null, max_attempts = max_attempts + 1,
    run_after = now() + ${sql.placeholder("delayMs")}::bigint * interval '1 millisecond'
  where log_id = ${sql.placeholder("logId")}`,
);

/** Suspends a run until a time has passed, in the transaction that holds its log: it keeps its attempts. */
export async function suspendFor(
  db: Queryable,
  { logId, delayMs }: { logId: string; delayMs: number },
): Promise<void> {
  await suspendStatement.execute(db, { logId, delayMs: Math.round(delayMs) });
}
