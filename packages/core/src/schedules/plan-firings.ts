import { nextSlot } from "@parley/cron";
import { type Queryable, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ScheduleRow } from "./schedule-rows.ts";
import { timesOf } from "./schedule-times.ts";

/** A slot that is written as a firing. */
interface NewFiring {
  readonly slot: number;
  /** When its run begins: at once if that has passed. */
  readonly dueAt: number;
  readonly status: "planned" | "waiting";
  readonly isManual?: boolean;
}

// A slot that there is stays as it is.
const insertStatement = statement<
  { scheduleId: number; workspaceId: number; firings: string },
  { id: number }
>(
  "insert_firings",
  sql`
  with given as (
    select * from json_to_recordset(${sql.placeholder("firings")}::json)
      as g(sid text, slot bigint, due_at bigint, status text, is_manual boolean)
  ),
  firing as (
    insert into schedule_firings (schedule_id, slot, sid, workspace_id, status, is_manual)
    select ${sql.placeholder("scheduleId")}::bigint, slot, sid, ${sql.placeholder("workspaceId")}::bigint, status,
      coalesce(is_manual, false)
    from given order by slot
    on conflict (schedule_id, slot) do nothing
    returning id, sid
  ),
  log as (insert into logs (id, last_seq, fence) select sid, 0, 0 from firing),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, status, priority, attempt, max_attempts, run_after,
      created_at)
    select 'firing', ${sql.placeholder("workspaceId")}::bigint, firing.sid, firing.id,
      case when to_timestamp(given.due_at / 1000.0) <= clock_timestamp() then 'waiting' else 'suspended' end,
      0, 0, 2, to_timestamp(given.due_at / 1000.0), floor(extract(epoch from now()) * 1000)::bigint
    from firing join given on given.sid = firing.sid order by given.slot
  )
  select id::float8 as id from firing order by id`,
);

/** Writes firings of a schedule with their runs, and gives their numbers; slots that there are stay as they are. */
export async function insertFirings(
  { newId }: Pick<Process, "newId">,
  db: Queryable,
  { schedule, firings }: { schedule: ScheduleRow; firings: readonly NewFiring[] },
): Promise<number[]> {
  if (firings.length === 0) return [];
  const columns = firings.map(({ slot, dueAt, status, isManual }) => {
    return { sid: newId("fir"), slot, due_at: dueAt, status, is_manual: isManual };
  });
  const { id: scheduleId, workspaceId } = schedule;
  const values = { scheduleId, workspaceId, firings: JSON.stringify(columns) };
  return (await insertStatement.execute(db, values)).map(({ id }) => id);
}

/** Plans the first slot of an active schedule after a time, if there is one. */
export async function planNext(
  core: Pick<Process, "newId" | "random">,
  db: Queryable,
  { schedule, afterMs }: { schedule: ScheduleRow; afterMs: number },
): Promise<void> {
  const slot = nextSlot(timesOf(schedule), afterMs);
  if (slot === null) return;
  const dueAt = slot + Math.floor(core.random() * schedule.jitterSeconds * 1000);
  await insertFirings(core, db, { schedule, firings: [{ slot, dueAt, status: "planned" }] });
}

/** Deletes the runs of firings of `where`, of one or of several schedules, which nothing begins from then on. */
export async function dropRuns(db: Queryable, where: SQL): Promise<void> {
  // The logs first, as all writers lock them.
  await db.execute(sql`
    with gone as (
      delete from logs where id in (select f.sid from schedule_firings f where ${where}) returning id
    )
    delete from runs using gone where runs.log_id = gone.id`);
}

/** Drops the planned slot of a schedule, and with a reason also skips those that have begun and are not started. */
export async function dropOpenFirings(
  db: Queryable,
  { id }: Pick<ScheduleRow, "id">,
  skipped?: string,
): Promise<void> {
  const statuses = skipped === undefined ? sql`('planned')` : sql`('planned', 'waiting')`;
  await dropRuns(db, sql`f.schedule_id = ${id} and f.status in ${statuses}`);
  await db.execute(
    sql`delete from schedule_firings where schedule_id = ${id} and status = 'planned'`,
  );
  if (skipped === undefined) return;
  await db.execute(sql`
    update schedule_firings set status = 'skipped', reason = ${skipped}
    where schedule_id = ${id} and status = 'waiting'`);
}
