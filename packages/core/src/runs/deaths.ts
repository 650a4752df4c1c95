/**
 * Runs that kill their workers. An expired lease counts as a death, of which a run may have two: it
 * could otherwise kill one worker after the other. A worker that notices that it has lost leases was only
 * delayed, and gives its runs the attempt back.
 */
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { jsonValues } from "../data-access/row-json.ts";
import { runKinds } from "./run-kinds.ts";

/** Attempts of a turn, and of a retryable function, if each ends with a death. */
export const MAX_DEATHS = 2;

const maxAttempts = sql.join(
  runKinds.map((kind) => sql`when ${kind.literal} then ${sql.raw(String(kind.maxAttempts))}`),
  sql` `,
);

// Locked runs are about to end or begin again: waiting for them, in no order, could deadlock.
const survivedStatement = statement<{ workerId: string; logIds: string }, { logId: string }>(
  "note_survived",
  sql`
  with free as (
    select log_id from runs
    where log_id in ${jsonValues(sql.placeholder("logIds"))}
      and status <> 'finished' and worker_id is distinct from ${sql.placeholder("workerId")}
      and max_attempts > 1
      and max_attempts < case kind ${maxAttempts} end
    for update skip locked
  )
  update runs set max_attempts = runs.max_attempts + 1 from free where runs.log_id = free.log_id`,
);

/** Notes that the worker whose leases of these runs have expired is alive: none was a death. */
export async function noteSurvived(
  db: Queryable,
  { workerId, logIds }: { workerId: string; logIds: readonly string[] },
): Promise<void> {
  if (logIds.length === 0) return;
  await survivedStatement.execute(db, { workerId, logIds: JSON.stringify(logIds) });
}
