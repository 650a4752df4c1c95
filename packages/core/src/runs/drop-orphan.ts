import { events, invocations, logs, runs } from "@parley/db";
import { and, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import type { ClaimedRun } from "./claim-parts.ts";

/**
 * Deletes a claimed run whose subject is deleted, with its log, unless another attempt holds it: it has
 * no end and would be taken over for ever.
 */
export async function dropOrphan(core: Process, { logId, attempt }: ClaimedRun): Promise<void> {
  await inTransaction(core, async ({ db }) => {
    // The log first, as all writers lock it.
    const held = await db
      .delete(logs)
      .where(and(eq(logs.id, logId), eq(logs.fence, attempt)))
      .returning({ id: logs.id });
    if (held.length === 0) return;
    await db.delete(events).where(eq(events.logId, logId));
    await db.delete(runs).where(eq(runs.logId, logId));
    // The remains of an invocation whose function is deleted.
    await db.delete(invocations).where(eq(invocations.sid, logId));
  });
}
