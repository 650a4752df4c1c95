import { webhooks, workspaces } from "@parley/db";
import { and, eq, lt, sql } from "drizzle-orm";
import { recordOfServer } from "../audit/audited-mutations.ts";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { deleteDeliveriesOf } from "./webhooks.ts";

/** How long a webhook whose deliveries are taken is kept if nobody does. */
const ABANDONED_MS = 86_400_000;
const REMOVED_AT_ONCE = 100;

const isAbandoned = (before: number) =>
  and(webhooks.isPulled, lt(sql`coalesce(${webhooks.takenAt}, ${webhooks.createdAt})`, before));

/**
 * Removes webhooks whose deliveries nobody has taken for a day, as a program leaves them that was killed. Gives how many, of a
 * bounded number.
 */
export async function removeAbandonedWebhooks(core: Process): Promise<number> {
  const before = core.now() - ABANDONED_MS;
  const found = await core.database.db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(isAbandoned(before))
    .limit(REMOVED_AT_ONCE);
  // oxlint-disable-next-line no-await-in-loop -- each in a transaction of its own
  for (const { id } of found) await remove(core, { id, before });
  return found.length;
}

async function remove(
  core: Process,
  { id, before }: { readonly id: number; readonly before: number },
): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    const [removed] = await db
      .delete(webhooks)
      .where(and(eq(webhooks.id, id), isAbandoned(before)))
      .returning({ sid: webhooks.sid, workspaceId: webhooks.workspaceId });
    // Somebody has taken some in the meantime.
    if (removed === undefined) return;
    await deleteDeliveriesOf(db, [id]);
    const [workspace] = await db
      .select({ sid: workspaces.sid })
      .from(workspaces)
      .where(eq(workspaces.id, removed.workspaceId));
    const { sid: subjectId } = removed;
    await recordOfServer(core, db, {
      action: "webhooks.remove",
      workspaceId: workspace?.sid,
      subjectId,
    });
  });
}
