import { conversations, hasRow, logs, type Queryable, spaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { reachesSpace } from "./space-reach.ts";

/** The condition that a conversation belongs to the workspace, and to no space closed to the key. */
export function reachesConversation({ caller }: Context): SQL | undefined {
  return and(
    eq(conversations.workspaceId, caller.workspace.id),
    or(
      sql`${conversations.spaceId} is null`,
      hasRow(
        sql`from ${spaces} where ${and(
          eq(spaces.id, conversations.spaceId),
          reachesSpace(caller),
        )}`,
      ),
    ),
  );
}

/** The error for a conversation that is unknown, or that the caller does not reach. */
export function unknownConversation(): ParleyError {
  return new ParleyError("conversation_not_found", "The workspace has no such conversation");
}

/** The conversation that the caller's key reaches. Throws `conversation_not_found`. */
export async function requireConversation(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<ConversationRow> {
  const [row] = await db
    .select()
    .from(conversations)
    .where(and(eq(conversations.sid, sid), reachesConversation(context)));
  if (row === undefined) throw unknownConversation();
  return row;
}

/** A locked conversation, and the bytes of its answers. */
export type LockedConversation = ConversationRow & Pick<typeof logs.$inferSelect, "answerBytes">;

/** The same, locked until the transaction ends. New messages are numbered under the lock. */
export async function lockConversation(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<LockedConversation> {
  const [locked] = await db
    .select({ row: conversations, answerBytes: logs.answerBytes })
    .from(conversations)
    .innerJoin(logs, eq(logs.id, conversations.sid))
    .where(and(eq(conversations.sid, sid), reachesConversation(context)))
    .for("update", { of: conversations });
  if (locked === undefined) throw unknownConversation();
  return { ...locked.row, answerBytes: locked.answerBytes };
}
