import { previousSlot, slotsBetween } from "@parley/cron";
import { type Queryable, scheduleFirings, schedules, statement } from "@parley/db";
import { MAX_LATE_SLOTS } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import type { Firing } from "./claim-firings.ts";
import { insertFirings, planNext } from "./plan-firings.ts";
import type { FiringRow, ScheduleRow } from "./schedule-rows.ts";
import { readDatabaseTime, timesOf } from "./schedule-times.ts";
import { endFiring } from "./settle-firing.ts";

/** How late a slot begins without counting as missed. */
const GRACE_MS = 60_000;

/** What comes of a slot that has begun. */
export type BegunFiring = "start" | "wait" | "ended";

/**
 * Begins a firing: decides whether its slot was missed, and plans the slot after it, in one transaction, so that a schedule
 * always has a next one. Beginning it again changes nothing. Throws `LostLease`.
 */
export async function beginFiring(
  core: Process,
  { run, firing, schedule }: { run: ClaimedRun } & Firing,
): Promise<BegunFiring> {
  return inTransaction(core, async (transaction) => {
    const { db, afterCommit } = transaction;
    // Who changes a schedule locks it first, and then the logs of its firings.
    const [current] = await db
      .select()
      .from(schedules)
      .where(eq(schedules.id, schedule.id))
      .for("no key update");
    await readHeldLog(db, run, { isLocked: true });
    if (current === undefined) return "ended";
    if (firing.status === "planned") {
      const isMissed = await passSlots(core, db, { schedule: current, firing });
      afterCommit.push({ topic: "runs", cause: "added", kind: "firing" });
      if (isMissed) {
        const reason = "Nothing could start at its time, nor within a minute of it";
        await endFiring(db, { run, firing, end: { status: "skipped", reason } });
        return "ended";
      }
    }
    if (firing.isManual || current.overlap === "allow") return "start";
    const earlier = await countEarlier(db, firing);
    if (earlier === 0) return "start";
    if (current.overlap === "wait" && earlier <= MAX_LATE_SLOTS) return "wait";
    const reason =
      current.overlap === "wait"
        ? `More than ${MAX_LATE_SLOTS} firings waited already`
        : "The firing before still ran";
    await endFiring(db, { run, firing, end: { status: "skipped", reason } });
    return "ended";
  });
}

/** Plans what comes after a slot, also of what was missed since, and says whether the slot itself was missed. */
async function passSlots(
  core: Process,
  db: Queryable,
  { schedule, firing }: { schedule: ScheduleRow; firing: FiringRow },
): Promise<boolean> {
  const { slot } = firing;
  const now = await readDatabaseTime(db);
  const onTimeAfter = now - GRACE_MS - schedule.jitterSeconds * 1000;
  const isLate = slot < onTimeAfter;
  const caughtUp = isLate ? catchUp(schedule, { slot, untilMs: onTimeAfter }) : [slot];
  const others = caughtUp.filter((one) => one !== slot);
  await insertFirings(core, db, {
    schedule,
    firings: others.map((one) => ({ slot: one, dueAt: now, status: "waiting" })),
  });
  await planNext(core, db, { schedule, afterMs: Math.max(slot, onTimeAfter) });
  if (!caughtUp.includes(slot)) return true;
  await db.update(scheduleFirings).set({ status: "waiting" }).where(isFiring(firing));
  return false;
}

/** The slots that are started of those that were missed. */
function catchUp(
  schedule: ScheduleRow,
  { slot, untilMs }: { slot: number; untilMs: number },
): number[] {
  const times = timesOf(schedule);
  if (schedule.missed === "skip") return [];
  if (schedule.missed === "last") {
    return [Math.max(slot, previousSlot(times, Math.floor(untilMs) + 1) ?? slot)];
  }
  return slotsBetween(times, { afterMs: slot - 1, untilMs: Math.floor(untilMs) }, MAX_LATE_SLOTS);
}

export const isFiring = ({ scheduleId, slot }: Pick<FiringRow, "scheduleId" | "slot">) =>
  and(eq(scheduleFirings.scheduleId, scheduleId), eq(scheduleFirings.slot, slot));

// What has started longer ago than the newest firings that are looked at counts as ended.
const earlierStatement = statement<
  { scheduleId: number; id: number; slot: number },
  { earlier: number }
>(
  "count_earlier_firings",
  sql`
  select count(*)::int as earlier from (
    select * from schedule_firings where schedule_id = ${sql.placeholder("scheduleId")}::bigint
    order by id desc limit ${sql.raw(String(2 * MAX_LATE_SLOTS + 1))}
  ) f
  where f.id <> ${sql.placeholder("id")}::bigint and (
    (f.status = 'waiting' and f.slot < ${sql.placeholder("slot")}::bigint)
    or (f.status = 'started'
      and exists (select from runs r where r.log_id = f.started_log_id and r.status <> 'finished'))
  )`,
);

/** How many firings of the schedule come before one: those that wait too, and those whose work has not ended. */
async function countEarlier(
  db: Queryable,
  { scheduleId, id, slot }: Pick<FiringRow, "scheduleId" | "id" | "slot">,
): Promise<number> {
  const [row] = await earlierStatement.execute(db, { scheduleId, id, slot });
  return row?.earlier ?? 0;
}
