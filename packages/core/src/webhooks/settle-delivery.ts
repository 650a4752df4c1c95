import {
  logs,
  runs,
  statement,
  type WebhookAttempt,
  webhookDeliveries,
  webhooks,
  workspaces,
} from "@parley/db";
import type { WebhookDisabledFor } from "@parley/schema";
import { and, eq, isNull, sql } from "drizzle-orm";
import { recordOfServer } from "../audit/audited-mutations.ts";
import type { Process } from "../context.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { hasDeliveries, toldOf } from "../log/webhook-outbox.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { readHeldLog } from "../runs/leases.ts";
import { suspendFor } from "../runs/suspend-for.ts";
import { wakeNextOf } from "../runs/wake-runs.ts";
import type { Delivery } from "./claim-deliveries.ts";

/** How an attempt of a delivery ended. */
export interface SettledDelivery {
  readonly run: ClaimedRun;
  readonly delivery: Delivery;
  readonly attempt: WebhookAttempt;
  /** Whether anything was sent: what was not says nothing of the receiver. */
  readonly isSent: boolean;
  readonly responseBody?: string | undefined;
  /** What comes next: `again` after this time. */
  readonly outcome: "succeeded" | "failed" | { readonly againAfterMs: number };
  /** Why the webhook is switched off with it, if it is. */
  readonly disabledFor?: Exclude<WebhookDisabledFor, "request"> | undefined;
}

/**
 * Ends an attempt of a delivery: what it was answered, and its next attempt or its end, commit together. What has ended
 * has no run any more. Throws `LostLease`.
 */
export async function settleDelivery(core: Process, settled: SettledDelivery): Promise<void> {
  const { run, delivery, attempt, isSent, responseBody, outcome, disabledFor } = settled;
  const { logId } = run;
  await inTransaction(core, async (transaction) => {
    const { db, afterCommit } = transaction;
    await readHeldLog(db, run, { isLocked: true });
    const isOver = typeof outcome === "string";
    const now = core.now();
    await db
      .update(webhookDeliveries)
      .set({
        status: isOver ? outcome : "waiting",
        finishedAt: isOver ? now : null,
        nextAttemptAt: isOver ? null : new Date(now + outcome.againAfterMs),
        attempts: [...delivery.attempts, attempt],
        ...(responseBody !== undefined && { responseBody }),
      })
      .where(eq(webhookDeliveries.id, delivery.id));
    if (isOver) {
      await db.delete(logs).where(eq(logs.id, logId));
      const [ended] = await db
        .delete(runs)
        .where(eq(runs.logId, logId))
        .returning({ id: runs.id, key: runs.orderingKey });
      if (ended !== undefined && ended.key !== null) {
        const one = sql`(select ${ended.key}::text as ordering_key, ${ended.id}::bigint as id)`;
        await db.execute(wakeNextOf(one));
        afterCommit.push({ topic: "runs", cause: "finished", kind: "delivery" });
      }
    } else {
      await suspendFor(db, { logId, delayMs: outcome.againAfterMs });
    }
    if (isSent) await noteHealth(transaction, { settled, now });
    if (disabledFor !== undefined) {
      await disableWebhook(core, transaction, { webhook: delivery.webhook, disabledFor });
    }
  });
}

/** Notes since when a webhook fails; nothing is written while that does not change. */
async function noteHealth(
  { db }: Transaction,
  { settled, now }: { settled: SettledDelivery; now: number },
): Promise<void> {
  const { webhook } = settled.delivery;
  const isWell = settled.outcome === "succeeded";
  if (isWell === (webhook.failingSince === null)) return;
  await db
    .update(webhooks)
    .set({ failingSince: isWell ? null : now })
    .where(and(eq(webhooks.id, webhook.id), isWell ? undefined : isNull(webhooks.failingSince)));
}

const told = statement<{ webhookId: number; disabledFor: string }, { hasDeliveries: boolean }>(
  "tell_disabled_webhook",
  sql`
  with ${toldOf(sql`
    select 'webhook.disabled' as event, off.sid as log_id, off.version as seq, off.workspace_id,
      jsonb_build_object('webhookId', off.sid, 'reason', ${sql.placeholder("disabledFor")}::text) as subject
    from webhooks off where off.id = ${sql.placeholder("webhookId")}::bigint`)}
  select ${hasDeliveries} as "hasDeliveries"`,
);

/** Switches a webhook off for another reason than a request, with an audit event, and tells the others. */
export async function disableWebhook(
  core: Pick<Process, "now">,
  { db, afterCommit }: Transaction,
  {
    webhook,
    disabledFor,
  }: {
    webhook: Pick<Delivery["webhook"], "id" | "sid" | "workspaceId">;
    disabledFor: Exclude<WebhookDisabledFor, "request">;
  },
): Promise<void> {
  const now = core.now();
  const [off] = await db
    .update(webhooks)
    .set({
      disabledFor,
      disabledAt: now,
      updatedAt: now,
      version: sql`${webhooks.version} + 1`,
    })
    .where(and(eq(webhooks.id, webhook.id), isNull(webhooks.disabledFor)))
    .returning({ id: webhooks.id });
  if (off === undefined) return;
  const [workspace] = await db
    .select({ sid: workspaces.sid })
    .from(workspaces)
    .where(eq(workspaces.id, webhook.workspaceId));
  const done = { action: "webhooks.disable", workspaceId: workspace?.sid, subjectId: webhook.sid };
  await recordOfServer(core, db, done);
  const [row] = await told.execute(db, { webhookId: webhook.id, disabledFor });
  if (row?.hasDeliveries) afterCommit.push({ topic: "runs", cause: "added", kind: "delivery" });
}
