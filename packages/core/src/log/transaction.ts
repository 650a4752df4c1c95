import type { Queryable } from "@parley/db";
import { wasCommitted } from "../data-access/lost-answers.ts";
import { retryConflicts } from "../data-access/retry-conflicts.ts";
import type { Hint } from "./bus.ts";
import type { LogRuntime } from "./log-runtime.ts";
import type { EnterTransaction } from "./transaction-places.ts";

/** A transaction: work in it uses `db`, and adds its hints to `afterCommit`. */
export interface Transaction {
  readonly db: Queryable;
  readonly afterCommit: Hint[];
  /** Passes the id of what an audited mutation creates, or names by nothing else, to its record. */
  readonly markCreated: (sid: string) => void;
  /** Leaves an audited mutation without a record, as it has changed nothing. */
  readonly markUnchanged: () => void;
}

/** An audited mutation, which its first transaction records. */
export interface RecordedOnce {
  /** Whether its record is committed. */
  recorded: boolean;
}

/** Writes the records of mutations in their transactions. */
export interface Recorder {
  /** Writes a record at the end of a transaction, and gives its number. */
  write(db: Queryable, mutation: RecordedOnce, createdId: string | undefined): Promise<number>;
  /** Whether a written record is committed. */
  isWritten(db: Queryable, recordId: number): Promise<boolean>;
}

/** The dependencies of a transaction. */
export interface TransactionContext extends Pick<LogRuntime, "database" | "bus" | "random"> {
  readonly recorder: Recorder;
  readonly enterTransaction: EnterTransaction;
  /** The workspace that asks, if a request does: transactions of a workspace take turns with those of others. */
  readonly caller?: { readonly kind: string; readonly workspace?: { readonly id: number } };
  readonly mutation?: RecordedOnce | undefined;
}

/**
 * Runs `work` in one transaction and publishes its hints after the commit. `work` runs again after a
 * conflict, so it must have no effects outside of the transaction. The first transaction of an audited
 * mutation also writes its record: neither exists without the other. If the acknowledgement of the commit
 * is lost, the record, or else `isStored`, tells whether it was committed.
 */
export async function inTransaction<T>(
  context: TransactionContext,
  work: (transaction: Transaction) => Promise<T>,
  isStored?: () => Promise<boolean>,
): Promise<T> {
  const { mutation, database, recorder } = context;
  const workspaceId = context.caller?.workspace?.id;
  const committed = await retryConflicts(context, async () => {
    const leave =
      workspaceId === undefined ? undefined : await context.enterTransaction(workspaceId);
    const afterCommit: Hint[] = [];
    let ended: { readonly result: T; readonly recordId: number | undefined } | undefined;
    try {
      await database.transaction(async (db) => {
        let createdId: string | undefined;
        let isRecorded = mutation?.recorded === false;
        const markCreated = (sid: string): void => void (createdId = sid);
        const markUnchanged = (): void => void (isRecorded = false);
        const result = await work({ db, afterCommit, markCreated, markUnchanged });
        const recordId =
          isRecorded && mutation !== undefined
            ? await recorder.write(db, mutation, createdId)
            : undefined;
        ended = { result, recordId };
      });
    } catch (error) {
      const recordId = ended?.recordId;
      const look =
        recordId === undefined ? isStored : () => recorder.isWritten(database.db, recordId);
      // Work that failed is not committed.
      const mayBe = ended !== undefined && look !== undefined;
      if (!mayBe || !(await wasCommitted(error, look))) throw error;
    } finally {
      leave?.();
    }
    if (ended === undefined) throw new Error("The transaction ended without its work");
    return { result: ended.result, afterCommit };
  });
  if (mutation !== undefined) mutation.recorded = true;
  context.bus.publish(committed.afterCommit);
  return committed.result;
}
