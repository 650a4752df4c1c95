import { conversations, hasRow, workspaces } from "@parley/db";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { TEMPORARY } from "../access/conversation-reach.ts";
import { recordOfServer } from "../audit/audited-mutations.ts";
import type { Process } from "../context.ts";
import { NEEDS_OUTPUT } from "../data-access/person-calls.ts";
import { goneHints } from "../log/bus.ts";
import { inTransaction } from "../log/transaction.ts";
import { deleteConversationRows } from "./conversations.ts";
import { eraseUploads, findUploads } from "./temporary-uploads.ts";

const ERASED_AT_ONCE = 20;
/** Time for those who follow the last answer to read how it ended. */
const GRACE_MS = 10_000;

/** An answer that is being written; one that waits for its application's outputs is not. */
const isAnswering = hasRow(sql`
  from messages m where m.conversation_id = ${conversations.id} and m.status = 'created'
    and not exists (
      select from actions a
      where a.message_id = m.id and a.status = ${sql.raw(`'${NEEDS_OUTPUT}'`)}
    )`);

/** A summary that is being written: it reads the messages. */
const isSummarising = hasRow(sql`
  from conversation_summaries s where s.conversation_id = ${conversations.id} and s.status = 'pending'`);

/** When something last happened in it. */
const lastChange = sql`(
  select max(greatest(m.created_at, m.finished_at, a.created_at))
  from messages m left join actions a on a.message_id = m.id
  where m.conversation_id = ${conversations.id})`;

/**
 * Erases temporary conversations in which no answer and no summary is written any more, with all of their content, and the
 * files that came in their requests with the texts of these; a record without text stays in the audit log. Gives how many it
 * has erased, of a bounded number.
 */
export async function eraseTemporaryConversations(core: Process): Promise<number> {
  return inTransaction(core, async (transaction) => {
    const { db, afterCommit } = transaction;
    const rows = await db
      .select({
        id: conversations.id,
        sid: conversations.sid,
        workspaceId: conversations.workspaceId,
      })
      .from(conversations)
      .where(
        and(
          eq(conversations.visibility, sql.raw(`'${TEMPORARY}'`)),
          // Tasks go with the conversation that they come from.
          isNull(conversations.rootId),
          sql`not ${isAnswering}`,
          sql`not ${isSummarising}`,
          sql`coalesce(${lastChange}, 0) < ${core.now() - GRACE_MS}`,
        ),
      )
      .orderBy(asc(conversations.position))
      .limit(ERASED_AT_ONCE)
      .for("update", { skipLocked: true });
    if (rows.length === 0) return 0;
    const uploads = await findUploads(
      db,
      rows.map(({ id }) => id),
    );
    const gone = await deleteConversationRows(core, transaction, rows);
    await eraseUploads(db, uploads);
    const ids = [...new Set(rows.map(({ workspaceId }) => workspaceId))];
    const named = await db
      .select({ id: workspaces.id, sid: workspaces.sid })
      .from(workspaces)
      .where(inArray(workspaces.id, ids));
    const sids = new Map(named.map(({ id, sid }) => [id, sid]));
    for (const { sid: subjectId, workspaceId } of rows) {
      const done = { action: "conversations.erase", workspaceId: sids.get(workspaceId), subjectId };
      // oxlint-disable-next-line no-await-in-loop -- a transaction has one connection
      await recordOfServer(core, db, done);
    }
    afterCommit.push(...goneHints(gone));
    return rows.length;
  });
}
