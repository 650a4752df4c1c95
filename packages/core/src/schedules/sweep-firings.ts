import { schedules, statement } from "@parley/db";
import { MAX_ENDED_FIRINGS } from "@parley/schema";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { planNext } from "./plan-firings.ts";
import { readDatabaseTime } from "./schedule-times.ts";

const SWEPT_AT_ONCE = 1000;

const sweepStatement = statement<{ kept: number }, { id: number }>(
  "sweep_firings",
  sql`
  with old as (
    select f.id from schedules s
    cross join lateral (
      select e.id from schedule_firings e
      where e.schedule_id = s.id and e.status not in ('planned', 'waiting')
      order by e.id desc offset ${sql.placeholder("kept")}::int limit 1
    ) newest
    join schedule_firings f
      on f.schedule_id = s.id and f.id <= newest.id and f.status not in ('planned', 'waiting')
    limit ${sql.raw(String(SWEPT_AT_ONCE))}
  )
  delete from schedule_firings f using old where f.id = old.id returning f.id`,
);

/** Deletes of each schedule all ended firings but the newest `kept`, a bounded number at once, and gives that number. */
export async function sweepFirings(
  core: Process,
  { kept = MAX_ENDED_FIRINGS }: { kept?: number } = {},
): Promise<number> {
  await planForgotten(core);
  return (await sweepStatement.execute(core.database.db, { kept })).length;
}

const forgottenStatement = statement<Record<string, never>, { id: number }>(
  "find_forgotten_schedules",
  sql`
  select s.id from schedules s where s.paused_for is null and not exists (
    select from schedule_firings f where f.schedule_id = s.id and f.status = 'planned'
  ) limit ${sql.raw(String(SWEPT_AT_ONCE))}`,
);

/** Plans the next slot of active schedules that have none, as after an import, or when ten years had none. */
async function planForgotten(core: Process): Promise<void> {
  for (const { id } of await forgottenStatement.execute(core.database.db, {})) {
    // oxlint-disable-next-line no-await-in-loop -- each in a transaction of its own
    await inTransaction(core, async ({ db }) => {
      const [schedule] = await db
        .select()
        .from(schedules)
        .where(and(eq(schedules.id, id), isNull(schedules.pausedFor)))
        .for("no key update");
      if (schedule === undefined) return;
      await planNext(core, db, { schedule, afterMs: await readDatabaseTime(db) });
    });
  }
}
