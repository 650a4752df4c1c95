import type { Process } from "../context.ts";
import { endTasksOf } from "../conversations/cancel-messages.ts";
import { inTransaction } from "../log/transaction.ts";

/** Cancels the tasks of an answer that ends without them, and those of them. */
export async function endTasks(core: Process, logId: string): Promise<void> {
  await inTransaction(core, async (transaction) => endTasksOf(core, transaction, [logId]));
}
