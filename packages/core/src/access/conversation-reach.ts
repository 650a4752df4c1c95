import { conversations, hasRow, logs, type Queryable, spaces } from "@parley/db";
import { invalidRequest, ParleyError } from "@parley/schema";
import { and, eq, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { allColumns } from "../data-access/row-json.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { statementForCallers } from "./caller-statement.ts";
import { belongsTo, type Reaching, seesAllOfWorkspace } from "./ownership.ts";
import { reachesSpace } from "./space-reach.ts";

// The only place that decides which conversations a caller reaches
// (docs/decisions/conversations-belong-to-users.md).

/** The visibility of a conversation that is erased once it has ended: lists do not show it. */
export const TEMPORARY = "temporary";

/** The condition that lists show the conversation: neither a temporary one, nor a task of another. */
export const isListed: SQL = sql`${ne(conversations.visibility, sql.raw(`'${TEMPORARY}'`))} and ${isNull(conversations.rootId)}`;

export interface Reached {
  readonly caller: Reaching;
}

/** The condition that the row is of the workspace, and in no space that is closed to the caller. */
function isInReachedSpace(caller: Reaching): SQL | undefined {
  return and(
    eq(conversations.workspaceId, caller.workspace.id),
    or(
      isNull(conversations.spaceId),
      hasRow(
        sql`from ${spaces} where ${and(
          eq(spaces.id, conversations.spaceId),
          reachesSpace(caller),
        )}`,
      ),
    ),
  );
}

/**
 * Conditions of which a conversation in a reached space fulfils exactly one if the caller reaches it. Each
 * has an index in the order of lists. What is in a space is shared with all keys that reach the space.
 */
function alternativesOf(caller: Reaching): (SQL | undefined)[] {
  const { apiKeyId, spaceId } = conversations;
  const isShared = isNotNull(spaceId);
  if (caller.userToken !== undefined || seesAllOfWorkspace(caller)) {
    return [belongsTo(caller, conversations, isShared)];
  }
  return [belongsTo(caller, conversations), and(isShared, ne(apiKeyId, caller.apiKey.id))];
}

/** The condition that the caller reaches the conversation. */
export function reachesConversation({ caller }: Reached): SQL | undefined {
  return and(isInReachedSpace(caller), or(...alternativesOf(caller)));
}

/**
 * Selects the newest reached conversations before the position of the placeholder `before`: at most `count`, which
 * is part of the text so that a plan for all values expects few.
 */
export function newestReached({ caller }: Reached, count: number): SQL {
  const { position } = conversations;
  // PostgreSQL would read and sort the whole of a union that has no limits inside.
  const reached = alternativesOf(caller).map(
    (alternative) => sql`(
      select ${allColumns(conversations)} from ${conversations}
      where ${and(isInReachedSpace(caller), alternative, isListed, lt(position, sql.placeholder("before")))}
      order by ${position} desc limit ${sql.raw(String(count))})`,
  );
  return sql.join(reached, sql` union all `);
}

/** The error for a conversation that is unknown, or that the caller does not reach. */
export function unknownConversation(): ParleyError {
  return new ParleyError("conversation_not_found", "The workspace has no such conversation");
}

/** The error for a change of a task, which belongs to the conversation that it comes from. */
function partOfAnother(): ParleyError {
  const message = "it is a task of another conversation: change that one";
  return invalidRequest("path", [{ path: "cId", message }]);
}

/** Throws for a task: what is added to one would be an answer that nobody has asked for. */
export function refuseTask({ rootId }: Pick<ConversationRow, "rootId">): void {
  if (rootId !== null) throw partOfAnother();
}

const findConversation = statementForCallers<{ sid: string }, ConversationRow>(
  "find_conversation",
  (caller) =>
    sql`select ${allColumns(conversations)} from ${conversations} where ${and(
      eq(conversations.sid, sql.placeholder("sid")),
      reachesConversation({ caller }),
    )}`,
);

/** The conversation that the caller reaches. Throws `conversation_not_found`. */
export async function requireConversation(
  db: Queryable,
  { caller }: Reached,
  sid: string,
): Promise<ConversationRow> {
  const [row] = await findConversation(db, caller, { sid });
  if (row === undefined) throw unknownConversation();
  return row;
}

/** The conversation that the input of a call names. Throws like `requireConversation`. */
export const requireConversationOf = (
  context: Reached & { readonly database: { readonly db: Queryable } },
  { cId }: { cId: string },
): Promise<ConversationRow> => requireConversation(context.database.db, context, cId);

/** A locked conversation, and the bytes of its answers. */
export type LockedConversation = ConversationRow & Pick<typeof logs.$inferSelect, "answerBytes">;

/** The same, locked until the transaction ends. New messages are numbered under the lock. */
export async function lockConversation(
  db: Queryable,
  context: Reached,
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
