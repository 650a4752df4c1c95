import { cancelInvocations } from "./cancel-invocation.ts";
import type { Core, Transaction } from "./context.ts";
import { endedWith, readOpenCalls, runningOf, writeEnds } from "./function-calls.ts";

/**
 * Ends the open calls of agent messages that end themselves, and cancels their invocations, in the
 * transaction that holds the messages' logs.
 */
export async function closeCalls(
  core: Pick<Core, "now">,
  transaction: Transaction,
  messageIds: readonly number[],
): Promise<void> {
  const { db } = transaction;
  const open = await readOpenCalls(db, messageIds);
  await cancelInvocations(core, transaction, runningOf(open));
  const end = { status: "errored", text: "The message was cancelled", now: core.now() } as const;
  await writeEnds(
    db,
    open.map(({ action }) => endedWith(action, end)),
  );
}
