import { type Queryable, statement, webhookDeliveries } from "@parley/db";
import { MAX_WAITING_DELIVERIES } from "@parley/schema";
import { inArray, lt, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { disableWebhook } from "./settle-delivery.ts";

const SWEPT_AT_ONCE = 1000;

/**
 * Deletes deliveries that ended before their retention, and switches off webhooks to which too many wait. Gives how many
 * deliveries it has deleted, of a bounded number.
 */
export async function sweepDeliveries(
  core: Process,
  { retentionMs }: { retentionMs: number },
): Promise<number> {
  const { db } = core.database;
  for (const webhook of await findOverfull(db)) {
    // oxlint-disable-next-line no-await-in-loop -- each in a transaction of its own
    await inTransaction(core, (transaction) =>
      disableWebhook(core, transaction, { webhook, disabledFor: "overflow" }),
    );
  }
  const { id, finishedAt } = webhookDeliveries;
  const some = db
    .select({ id })
    .from(webhookDeliveries)
    .where(lt(finishedAt, core.now() - retentionMs))
    .limit(SWEPT_AT_ONCE)
    .for("update", { skipLocked: true });
  const swept = await db.delete(webhookDeliveries).where(inArray(id, some)).returning({ id });
  return swept.length;
}

interface Overfull {
  readonly id: number;
  readonly sid: string;
  readonly workspaceId: number;
}

const overfullStatement = statement<Record<string, never>, Overfull>(
  "find_overfull_webhooks",
  sql`
  select w.id, w.sid, w.workspace_id as "workspaceId" from webhooks w
  where w.disabled_for is null and (
    select count(*) from (
      select from webhook_deliveries d where d.webhook_id = w.id and d.status = 'waiting'
      limit ${sql.raw(String(MAX_WAITING_DELIVERIES + 1))}
    ) waiting
  ) > ${sql.raw(String(MAX_WAITING_DELIVERIES))}`,
);

/** Webhooks to which more deliveries wait than may. */
const findOverfull = (db: Queryable): Promise<Overfull[]> => overfullStatement.execute(db, {});
