import { insertRow, type Queryable, schedules } from "@parley/db";
import {
  type CreateSchedule,
  invalidRequest,
  MAX_SCHEDULES,
  type Schedule,
  type ScheduleIdentity,
  type SchedulePage,
  type SchedulePreview,
  type PreviewSchedule,
  type Success,
  type UpdateSchedule,
  type VersionedSchedule,
} from "@parley/schema";
import { nextSlot } from "@parley/cron";
import { and, eq, sql } from "drizzle-orm";
import { isBuilder } from "../agents/agent-editors.ts";
import type { RequestContext } from "../context.ts";
import { isAfter, type PageOf, takePage } from "../data-access/pages.ts";
import { actingCaller } from "../launches/acting-caller.ts";
import { requireLaunch } from "../launches/require-launch.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { dropOpenFirings, dropRuns, planNext } from "./plan-firings.ts";
import {
  managesSchedule,
  readSchedules,
  renderSchedule,
  requireSchedule,
  type ScheduleRow,
} from "./schedule-rows.ts";
import { readDatabaseTime, requireTimes } from "./schedule-times.ts";

/** Lists the schedules that the caller manages, the oldest first, a page at a time. */
export async function listSchedules(context: RequestContext, input: PageOf): Promise<SchedulePage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const where = and(
    eq(schedules.workspaceId, workspace.id),
    managesSchedule(context),
    isAfter(schedules.id, input),
  );
  const rows = await readSchedules(db, where, input.limit + 1);
  const { page, end } = takePage(rows, input, ({ row }) => row.id);
  return { schedules: page.map(renderSchedule), ...end };
}

/** Reads a schedule. Throws `schedule_not_found`. */
export async function getSchedule(
  context: RequestContext,
  input: ScheduleIdentity,
): Promise<{ schedule: Schedule }> {
  const { db } = context.database;
  const { row } = await requireSchedule(context, db, input);
  return show(db, row);
}

async function show(db: Queryable, { id }: ScheduleRow): Promise<{ schedule: Schedule }> {
  const [shown] = await readSchedules(db, eq(schedules.id, id), 1);
  if (shown === undefined) throw new Error("The schedule was deleted");
  return { schedule: renderSchedule(shown) };
}

/** The next times of a schedule that there need not be. Throws `invalid_request_error` for what cannot be read. */
export async function previewSchedule(
  context: RequestContext,
  { wId, count, ...given }: PreviewSchedule,
): Promise<SchedulePreview> {
  const { db } = context.database;
  await administeredWorkspace(context, db, wId);
  const now = await readDatabaseTime(db);
  const times = requireTimes({ ...given, anchor: now }, now);
  const slots: number[] = [];
  for (let slot = nextSlot(times, now); slot !== null && slots.length < count;) {
    slots.push(slot);
    slot = nextSlot(times, slot);
  }
  return { slots };
}

/**
 * Creates a schedule, which fires from then on. Throws what is wrong with its times, and with what it starts as the key
 * that it acts for; and `invalid_request_error` for one too many.
 */
export async function createSchedule(
  context: RequestContext,
  { wId, keyId, agent, function: invoked, isPaused, ...settings }: CreateSchedule,
): Promise<{ schedule: Schedule }> {
  const acting = await actingCaller(context, { wId, keyId });
  const launch = { agent, function: invoked };
  await requireLaunch(context, acting, launch);
  return inTransaction(context, async ({ db, afterCommit, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, wId);
    await requireRoom(db, workspace.id);
    const anchor = await readDatabaseTime(db);
    requireTimes({ ...settings, anchor }, anchor);
    const sid = context.newId("sch");
    const now = context.now();
    const row = await insertRow(db, schedules, {
      ...settings,
      sid,
      workspaceId: workspace.id,
      launch,
      anchor,
      apiKeyId: acting.apiKey.id,
      ...(isPaused && pausedAt(now)),
      createdAt: now,
      updatedAt: now,
    });
    if (!isPaused) await plan(context, { db, afterCommit }, row);
    markCreated(sid);
    return show(db, row);
  });
}

const pausedAt = (now: number) => ({ pausedFor: "request" as const, pausedAt: now });

/** Plans the next slot of an active schedule from now on. */
async function plan(
  context: RequestContext,
  { db, afterCommit }: Pick<Transaction, "db" | "afterCommit">,
  schedule: ScheduleRow,
): Promise<void> {
  await planNext(context, db, { schedule, afterMs: await readDatabaseTime(db) });
  afterCommit.push({ topic: "runs", cause: "added", kind: "firing" });
}

async function requireRoom(db: Queryable, workspaceId: number): Promise<void> {
  if ((await db.$count(schedules, eq(schedules.workspaceId, workspaceId))) < MAX_SCHEDULES) return;
  const message = `the workspace has ${MAX_SCHEDULES} schedules: remove some`;
  throw invalidRequest("body", [{ path: "", message }]);
}

/**
 * Changes a schedule, pauses or resumes it. Other times hold from now on; pausing skips what has not started yet. Throws
 * like `createSchedule`, `schedule_not_found`, and `version_conflict` if it was changed since the named version.
 */
export async function updateSchedule(
  context: RequestContext,
  input: UpdateSchedule,
): Promise<{ schedule: Schedule }> {
  const { wId, scheduleId, version, isPaused, keyId, agent, function: invoked, ...changes } = input;
  const named = { wId, scheduleId };
  const { row: before } = await requireSchedule(context, context.database.db, named);
  const isOther = (agent ?? invoked) !== undefined;
  const launch = isOther ? { agent, function: invoked } : before.launch;
  let apiKeyId: number | undefined;
  // What stays as it was is not checked again, so that a schedule whose key is revoked can be renamed and paused.
  if (isOther || keyId !== undefined || isPaused === false || isBuilder(context.caller)) {
    const acting = await actingCaller(context, { wId, keyId, storedId: before.apiKeyId });
    await requireLaunch(context, acting, launch);
    apiKeyId = acting.apiKey.id;
  }
  return inTransaction(context, async ({ db, afterCommit }) => {
    const { row } = await requireSchedule(context, db, named, { isLocked: true });
    requireVersion("schedule", row, version);
    const now = context.now();
    const times = await changedTimes(db, row, changes);
    const isResumed = isPaused === false && row.pausedFor !== null;
    const [changed = row] = await db
      .update(schedules)
      .set({
        ...changes,
        ...times,
        launch,
        apiKeyId,
        ...(isPaused === true && row.pausedFor === null && pausedAt(now)),
        ...(isResumed && { pausedFor: null, pausedAt: null, failingSince: null }),
        version: row.version + 1,
        updatedAt: now,
      })
      .where(eq(schedules.id, row.id))
      .returning();
    if (changed.pausedFor !== null) {
      await dropOpenFirings(db, row, "The schedule was paused");
    } else if (isResumed || times !== undefined) {
      await dropOpenFirings(db, row);
      await plan(context, { db, afterCommit }, changed);
    }
    return show(db, row);
  });
}

/** The columns of other times; undefined if a request names none. */
async function changedTimes(
  db: Queryable,
  row: ScheduleRow,
  { cron, everySeconds, timezone, jitterSeconds }: Partial<UpdateSchedule>,
) {
  if ((cron ?? everySeconds ?? timezone ?? jitterSeconds) === undefined) return undefined;
  const now = await readDatabaseTime(db);
  const isOther = cron !== undefined || everySeconds !== undefined;
  const times = {
    cron: isOther ? (cron ?? null) : row.cron,
    everySeconds: isOther ? (everySeconds ?? null) : row.everySeconds,
    timezone: timezone ?? row.timezone,
    anchor: everySeconds === undefined ? row.anchor : now,
  };
  requireTimes(times, now);
  return times;
}

/** Removes a schedule with its firings; what it has started stays. Throws like `updateSchedule`. */
export async function removeSchedule(
  context: RequestContext,
  { version, ...named }: VersionedSchedule,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireSchedule(context, db, named, { isLocked: true });
    requireVersion("schedule", row, version);
    await dropRuns(db, sql`f.schedule_id = ${row.id}`);
    await db.delete(schedules).where(eq(schedules.id, row.id));
    return { success: true };
  });
}

/** Deletes the schedules of a workspace that is being deleted. */
export async function deleteSchedules(db: Queryable, workspaceId: number): Promise<void> {
  await dropRuns(
    db,
    sql`f.schedule_id in (select s.id from schedules s where s.workspace_id = ${workspaceId})`,
  );
  await db.delete(schedules).where(eq(schedules.workspaceId, workspaceId));
}
