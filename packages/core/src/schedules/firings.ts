import { scheduleFirings } from "@parley/db";
import type { FiringPage, ListFirings, ScheduleIdentity, StartedFiring } from "@parley/schema";
import { and, desc, eq, lt } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { insertFirings } from "./plan-firings.ts";
import { renderFiring, requireSchedule } from "./schedule-rows.ts";
import { readDatabaseTime } from "./schedule-times.ts";

/** Lists the firings of a schedule that the caller manages, the newest first, a page at a time. */
export async function listFirings(
  context: RequestContext,
  input: ListFirings,
): Promise<FiringPage> {
  const { db } = context.database;
  const { row } = await requireSchedule(context, db, input);
  const { status, lastValue } = input;
  const { id, scheduleId } = scheduleFirings;
  const rows = await db
    .select()
    .from(scheduleFirings)
    .where(
      and(
        eq(scheduleId, row.id),
        status && eq(scheduleFirings.status, status),
        lastValue === undefined ? undefined : lt(id, Number(lastValue)),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, (one) => one.id);
  return { firings: page.map((one) => renderFiring(row, one)), ...end };
}

/** Fires a schedule now, also a paused one, besides its times and whatever still runs. Throws `schedule_not_found`. */
export async function runSchedule(
  context: RequestContext,
  input: ScheduleIdentity,
): Promise<StartedFiring> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row } = await requireSchedule(context, db, input, { isLocked: true });
    const now = await readDatabaseTime(db);
    let ids: number[] = [];
    // A millisecond may be a slot already.
    for (let slot = now; ids.length === 0; slot++) {
      const firing = { slot, dueAt: now, status: "waiting", isManual: true } as const;
      // oxlint-disable-next-line no-await-in-loop -- until one is free
      ids = await insertFirings(context, db, { schedule: row, firings: [firing] });
    }
    afterCommit.push({ topic: "runs", cause: "added", kind: "firing" });
    const [firing] = await db
      .select()
      .from(scheduleFirings)
      .where(eq(scheduleFirings.id, ids[0] ?? 0));
    if (firing === undefined) throw new Error("The firing was not written");
    return { firing: renderFiring(row, firing) };
  });
}
