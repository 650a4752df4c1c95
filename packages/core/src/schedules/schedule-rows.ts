import { apiKeys, type Queryable, scheduleFirings, schedules } from "@parley/db";
import { ParleyError, type Schedule, type ScheduleFiring, toListedTimezone } from "@parley/schema";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { managesLaunch } from "../launches/managed-launches.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

export type ScheduleRow = typeof schedules.$inferSelect;
export type FiringRow = typeof scheduleFirings.$inferSelect;

/** A schedule with what lists show of its key and its firings. */
export interface ShownSchedule {
  readonly row: ScheduleRow;
  readonly keySid: string | null;
  readonly nextSlot: number | null;
  readonly last: FiringRow | null;
}

/** The condition that the caller manages a schedule. */
export const managesSchedule = ({ caller }: RequestContext): SQL | undefined =>
  managesLaunch(caller, schedules);

/** Reads schedules (`where`) with what is shown of them, the oldest first. */
export async function readSchedules(
  db: Queryable,
  where: SQL | undefined,
  limit: number,
): Promise<ShownSchedule[]> {
  const firings = (status: SQL) =>
    sql`from ${scheduleFirings} f where f.schedule_id = ${schedules.id} and f.status ${status}`;
  const rows = await db
    .select({
      row: schedules,
      keySid: apiKeys.sid,
      nextSlot: sql<number | null>`(select min(f.slot)::float8 ${firings(sql`= 'planned'`)})`,
      lastId: sql<
        number | null
      >`(select f.id::float8 ${firings(sql`<> 'planned'`)} order by f.slot desc limit 1)`,
    })
    .from(schedules)
    .leftJoin(apiKeys, eq(apiKeys.id, schedules.apiKeyId))
    .where(where)
    .orderBy(schedules.id)
    .limit(limit);
  const ids = rows.flatMap(({ lastId }) => lastId ?? []);
  const lasts =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(scheduleFirings)
          .where(sql`${scheduleFirings.id} = any(${sql.param(ids)}::bigint[])`);
  return rows.map(({ row, keySid, nextSlot, lastId }) => {
    return { row, keySid, nextSlot, last: lasts.find(({ id }) => id === lastId) ?? null };
  });
}

/** A schedule as the wire shows it. */
export function renderSchedule({ row, keySid, nextSlot, last }: ShownSchedule): Schedule {
  const { sid: sId, name, description, launch, cron, everySeconds, overlap, missed } = row;
  const { jitterSeconds, pausedFor, pausedAt, failingSince, version, createdAt, updatedAt } = row;
  return {
    sId,
    name,
    description,
    agent: launch.agent === undefined ? null : { ...launch.agent },
    function: launch.function === undefined ? null : { ...launch.function },
    cron,
    everySeconds,
    timezone: toListedTimezone(row.timezone),
    overlap,
    missed,
    jitterSeconds,
    keyId: keySid,
    pausedFor,
    pausedAt,
    failingSince,
    nextSlot,
    lastFiring: last && renderFiring(row, last),
    version,
    createdAt,
    updatedAt,
  };
}

/** A firing as the wire shows it. */
export function renderFiring(schedule: Pick<ScheduleRow, "sid">, row: FiringRow): ScheduleFiring {
  const { sid: sId, slot, status, isManual, startedAt, reason } = row;
  return {
    sId,
    scheduleId: schedule.sid,
    slot,
    status,
    isManual,
    startedAt,
    conversationId: row.conversationSid,
    messageId: row.messageSid,
    invocationId: row.invocationSid,
    reason,
  };
}

/** A schedule that a request names and its caller manages, with its workspace. Throws `schedule_not_found`. */
export async function requireSchedule(
  context: RequestContext,
  db: Queryable,
  { wId, scheduleId }: { wId: string; scheduleId: string },
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<{ row: ScheduleRow; workspace: WorkspaceRow }> {
  const workspace = await administeredWorkspace(context, db, wId);
  const query = db
    .select()
    .from(schedules)
    .where(
      and(
        eq(schedules.workspaceId, workspace.id),
        eq(schedules.sid, scheduleId),
        managesSchedule(context),
      ),
    );
  const [row] = await (isLocked ? query.for("no key update") : query);
  if (row !== undefined) return { row, workspace };
  throw new ParleyError("schedule_not_found", "scheduleId: the workspace has no such schedule");
}
