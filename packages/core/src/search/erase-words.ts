import { messageWords, type Queryable } from "@parley/db";
import { inArray, type SQL, sql } from "drizzle-orm";

/** Class of the advisory lock, which no row is locked for: messages are on the path of every create. */
const LOCK_CLASS = 1_886_680_175;
const key = sql.raw(`${LOCK_CLASS}, 0`);

/** Until the transaction ends, no messages are erased: none of those that it reads is left in the index. */
export const keepMessages: SQL = sql`select pg_advisory_xact_lock(${key})`;

const lockErasure: SQL = sql`select pg_advisory_xact_lock_shared(${key})`;

/** Erases the words of conversations whose messages the transaction has deleted. */
export async function eraseWords(db: Queryable, conversationIds: readonly number[]): Promise<void> {
  // What is being indexed is committed before, and what is indexed afterwards has no more messages to read.
  await db.execute(lockErasure);
  await db.delete(messageWords).where(inArray(messageWords.conversationId, [...conversationIds]));
}
