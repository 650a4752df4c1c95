import { logs, runs, triggerEvents, triggers, workspaces } from "@parley/db";
import type { StartedByEvent } from "@parley/schema";
import { and, eq, isNull, sql } from "drizzle-orm";
import { recordOfServer } from "../audit/audited-mutations.ts";
import type { Process } from "../context.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { suspendFor } from "../runs/suspend-for.ts";
import type { LoadedTriggerEvent } from "./claim-trigger-events.ts";

/** Characters of what was made of an event, and of why it failed, that are kept. */
const MAX_MESSAGE_CHARACTERS = 65_536;
const MAX_ERROR_CHARACTERS = 4096;

/** How an attempt at an event ended. */
export interface SettledTriggerEvent {
  /** What comes next, if it is not over: again after this time. */
  readonly outcome: "started" | "ignored" | "failed" | "tried" | { readonly againAfterMs: number };
  readonly message?: string | undefined;
  readonly started?: StartedByEvent | undefined;
  readonly error?: string | undefined;
  /** Whether the trigger is switched off, because its key was revoked. */
  readonly isKeyRevoked?: boolean;
}

/**
 * Ends an attempt at an event: what was made of it, and its next attempt or its end, commit together. What has ended has no
 * run any more. Throws `LostLease`.
 */
export async function settleTriggerEvent(
  core: Process,
  {
    run,
    loaded,
    ...settled
  }: SettledTriggerEvent & { run: ClaimedRun; loaded: LoadedTriggerEvent },
): Promise<void> {
  const { outcome, message, started, error, isKeyRevoked = false } = settled;
  const { logId } = run;
  await inTransaction(core, async (transaction) => {
    const { db } = transaction;
    await readHeldLog(db, run, { isLocked: true });
    const isOver = typeof outcome === "string";
    await db
      .update(triggerEvents)
      .set({
        ...(isOver && { status: outcome, finishedAt: core.now() }),
        message: message?.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed() ?? null,
        started: started ?? null,
        error: error?.slice(0, MAX_ERROR_CHARACTERS).toWellFormed() ?? null,
      })
      .where(eq(triggerEvents.id, loaded.event.id));
    if (isOver) {
      await db.delete(logs).where(eq(logs.id, logId));
      await db.delete(runs).where(eq(runs.logId, logId));
    } else await suspendFor(db, { logId, delayMs: outcome.againAfterMs });
    if (!loaded.event.isSample && isOver) {
      await noteHealth(core, transaction, { loaded, isWell: outcome !== "failed" });
    }
    if (isKeyRevoked) await disableTrigger(core, transaction, loaded);
  });
}

/** Notes since when a trigger fails; nothing is written while that does not change. */
async function noteHealth(
  core: Pick<Process, "now">,
  { db }: Transaction,
  { loaded: { trigger }, isWell }: { loaded: LoadedTriggerEvent; isWell: boolean },
): Promise<void> {
  if (isWell === (trigger.failingSince === null)) return;
  await db
    .update(triggers)
    .set({ failingSince: isWell ? null : core.now() })
    .where(and(eq(triggers.id, trigger.id), isWell ? undefined : isNull(triggers.failingSince)));
}

/** Switches a trigger off whose key was revoked, with an audit event. */
async function disableTrigger(
  core: Pick<Process, "now">,
  { db }: Transaction,
  { trigger }: LoadedTriggerEvent,
): Promise<void> {
  const now = core.now();
  const [off] = await db
    .update(triggers)
    .set({
      disabledFor: "key_revoked",
      disabledAt: now,
      updatedAt: now,
      version: sql`${triggers.version} + 1`,
    })
    .where(and(eq(triggers.id, trigger.id), isNull(triggers.disabledFor)))
    .returning({ id: triggers.id });
  if (off === undefined) return;
  const [workspace] = await db
    .select({ sid: workspaces.sid })
    .from(workspaces)
    .where(eq(workspaces.id, trigger.workspaceId));
  const done = { action: "triggers.disable", workspaceId: workspace?.sid, subjectId: trigger.sid };
  await recordOfServer(core, db, done);
}
