import { logs, type Queryable, runs, scheduleFirings, schedules, workspaces } from "@parley/db";
import { and, eq, isNull } from "drizzle-orm";
import { recordOfServer } from "../audit/audited-mutations.ts";
import type { Process } from "../context.ts";
import type { Launched } from "../launches/launch.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { suspendFor } from "../runs/suspend-for.ts";
import type { Firing } from "./claim-firings.ts";
import { dropOpenFirings } from "./plan-firings.ts";
import type { FiringRow } from "./schedule-rows.ts";

/** How an attempt to start a firing ended. */
export type FiringEnd =
  | { readonly status: "started"; readonly launched: Launched }
  | {
      readonly status: "failed";
      readonly reason: string;
      /** Whether its key is no longer valid: the schedule is paused. */
      readonly isKeyGone?: boolean;
    }
  | { readonly status: "skipped"; readonly reason: string };

/** What an attempt is followed by: an end, or another attempt. */
export type SettledFiring =
  | FiringEnd
  | {
      readonly status: "waiting";
      readonly reason: string;
      readonly againAfterMs: number;
      /** Whether the attempt counts: one that only waits does not. */
      readonly hasFailed: boolean;
    };

/** Ends an attempt of a firing, which is committed with the next one or with its end. Throws `LostLease`. */
export async function settleFiring(
  core: Process,
  { run, firing, schedule, end }: { run: ClaimedRun; end: SettledFiring } & Firing,
): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    const lock = db
      .select({ id: schedules.id })
      .from(schedules)
      .where(eq(schedules.id, schedule.id));
    await lock.for("no key update");
    await readHeldLog(db, run, { isLocked: true });
    if (end.status === "waiting") {
      const attempts = firing.attempts + (end.hasFailed ? 1 : 0);
      await db
        .update(scheduleFirings)
        .set({ attempts, reason: end.reason })
        .where(eq(scheduleFirings.id, firing.id));
      await suspendFor(db, { logId: run.logId, delayMs: end.againAfterMs });
      return;
    }
    const startedAt = core.now();
    await endFiring(db, { run, firing, end, startedAt });
    if (end.status === "skipped") return;
    const isWell = end.status === "started";
    if (isWell !== (schedule.failingSince === null)) {
      await db
        .update(schedules)
        .set({ failingSince: isWell ? null : startedAt })
        .where(
          and(eq(schedules.id, schedule.id), isWell ? undefined : isNull(schedules.failingSince)),
        );
    }
    if (end.status === "failed" && end.isKeyGone) await pause(core, db, schedule);
  });
}

/** Writes the end of a firing, whose run and log go with it. */
export async function endFiring(
  db: Queryable,
  {
    run,
    firing,
    end,
    startedAt = null,
  }: {
    run: ClaimedRun;
    firing: Pick<FiringRow, "id">;
    end: FiringEnd;
    startedAt?: number | null;
  },
): Promise<void> {
  const launched = end.status === "started" ? end.launched : undefined;
  await db
    .update(scheduleFirings)
    .set({
      status: end.status,
      reason: end.status === "started" ? null : end.reason,
      startedAt: launched === undefined ? null : startedAt,
      conversationSid: launched?.conversationId ?? null,
      messageSid: launched?.messageId ?? null,
      invocationSid: launched?.invocationId ?? null,
      startedLogId: launched?.logId ?? null,
    })
    .where(eq(scheduleFirings.id, firing.id));
  await db.delete(logs).where(eq(logs.id, run.logId));
  await db.delete(runs).where(eq(runs.logId, run.logId));
}

/** Pauses a schedule whose key is no longer valid, with an audit event. */
async function pause(
  core: Process,
  db: Queryable,
  { id, sid, workspaceId, version }: Firing["schedule"],
): Promise<void> {
  const now = core.now();
  const [paused] = await db
    .update(schedules)
    .set({ pausedFor: "key_revoked", pausedAt: now, updatedAt: now, version: version + 1 })
    .where(and(eq(schedules.id, id), isNull(schedules.pausedFor)))
    .returning({ id: schedules.id });
  if (paused === undefined) return;
  await dropOpenFirings(db, { id }, "The key of the schedule is no longer valid");
  const [workspace] = await db
    .select({ sid: workspaces.sid })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  const done = { action: "schedules.pause", workspaceId: workspace?.sid, subjectId: sid };
  await recordOfServer(core, db, done);
}
