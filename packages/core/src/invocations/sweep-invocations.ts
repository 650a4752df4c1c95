import { events, invocations, logs, runs, statement } from "@parley/db";
import { inArray, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { goneHints } from "../log/bus.ts";
import { lockLogs } from "../log/lock-logs.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";

const READ_AT_ONCE = 500;

interface OldInvocation {
  readonly id: number;
  readonly sid: string;
  readonly hasEnded: boolean;
}

// In the order of their creation: without old ones, it reads the first rows and no more.
const oldStatement = statement<{ after: number; before: number }, OldInvocation>(
  "list_old_invocations",
  sql`
  select id::float8 as id, sid,
    status <> 'created' and finished_at < ${sql.placeholder("before")}::bigint as "hasEnded"
  from (
    select id, sid, status, created_at, finished_at from invocations
    where id > ${sql.placeholder("after")}::bigint
    order by id limit ${sql.raw(String(READ_AT_ONCE))}
  ) oldest
  where created_at < ${sql.placeholder("before")}::bigint
  order by id`,
);

/**
 * Creates a function that deletes some of the invocations that ended long enough ago, with their logs, and
 * gives their number, 0 when all are deleted.
 */
export function createInvocationSweep(
  core: Process,
  { retentionMs }: { readonly retentionMs: number },
): () => Promise<number> {
  // Those that have not ended stay, and are passed over.
  let after = 0;
  return async () => {
    for (;;) {
      const before = core.now() - retentionMs;
      const found = await oldStatement.execute(core.database.db, { after, before });
      after = found.at(-1)?.id ?? 0;
      if (after === 0) return 0;
      const ended = found.filter(({ hasEnded }) => hasEnded).map(({ sid }) => sid);
      if (ended.length === 0) continue;
      await inTransaction(core, (transaction) => deleteInvocationRows(transaction, ended));
      return ended.length;
    }
  };
}

/** Deletes invocations with their runs and logs. */
export async function deleteInvocationRows(
  { db, afterCommit }: Transaction,
  sids: readonly string[],
): Promise<void> {
  const ids = [...sids];
  // The logs first, as all writers lock them.
  await lockLogs(db, ids);
  await db.delete(logs).where(inArray(logs.id, ids));
  await db.delete(events).where(inArray(events.logId, ids));
  await db.delete(runs).where(inArray(runs.logId, ids));
  await db.delete(invocations).where(inArray(invocations.sid, ids));
  afterCommit.push(...goneHints(ids));
}
