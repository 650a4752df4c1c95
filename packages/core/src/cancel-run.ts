import { conversations } from "@parley/db";
import type { RunIdentity, Success } from "@parley/schema";
import { eq } from "drizzle-orm";
import { requireRun } from "./activity/get-run.ts";
import type { RequestContext } from "./context.ts";
import { endMessages } from "./conversations/cancel-messages.ts";
import { cancelInvocations } from "./invocations/cancel-invocation.ts";
import { inTransaction } from "./log/transaction.ts";
import { cancelCompaction } from "./summaries/save-summary.ts";

/**
 * Cancels a run, whatever it is; one that has ended stays as it ended. An agent is told that its call was
 * cancelled, and continues. Throws `run_not_found`.
 */
export async function cancelRun(context: RequestContext, input: RunIdentity): Promise<Success> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const { id, kind, conversationId, functionId } = await requireRun(context, db, input);
    if (kind === "compaction") {
      await cancelCompaction(context, transaction, id);
      return { success: true };
    }
    if (kind !== "turn") {
      // Every invocation has a function.
      const cancelled = { sid: id, functionSid: functionId ?? "" };
      await cancelInvocations(context, transaction, [cancelled]);
      return { success: true };
    }
    const [conversation] = await db
      .select()
      .from(conversations)
      .where(eq(conversations.sid, conversationId ?? ""));
    if (conversation !== undefined) {
      await endMessages(context, transaction, { conversation, messageIds: [id] });
    }
    return { success: true };
  });
}
