import * as tables from "@parley/db";
import { type DeleteSpace, invalidRequest, ParleyError, type Success } from "@parley/schema";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { spaceNotFound } from "./access/space-reach.ts";
import type { RequestContext } from "./context.ts";
import { deleteConversationRows } from "./conversations/conversations.ts";
import { onSlowDatabase } from "./data-access/slow-database.ts";
import { deleteSomeNodes, dropRefreshes } from "./knowledge/data-source-administration.ts";
import { goneHints } from "./log/bus.ts";
import { inTransaction } from "./log/transaction.ts";
import { administeredWorkspace } from "./workspaces/administered-workspace.ts";

const CONVERSATIONS_AT_ONCE = 200;
/** Conversations that are counted at most. */
const MAX_COUNTED = 10_000;

/**
 * Deletes a space. It is closed first; what it holds then goes in batches, so that no transaction grows with
 * it. Skills that name the space stay closed. Calling it again finishes an interrupted deletion. Throws
 * `space_not_empty` for a space that holds something, unless `withContent`.
 */
export async function deleteSpace(request: RequestContext, input: DeleteSpace): Promise<Success> {
  const context = onSlowDatabase(request);
  const id = await closeSpace(context, input);
  const steps = [
    deleteSomeConversations,
    (of: RequestContext, spaceId: number) => deleteSomeNodes(of, viewsOf(spaceId)),
  ];
  for (const deleteSome of steps) while ((await deleteSome(context, id)) > 0);
  await inTransaction(context, async ({ db }) => deleteRest(db, id));
  return { success: true };
}

/** Marks a space as deleted, and closes it to all keys. Gives its number. */
async function closeSpace(context: RequestContext, input: DeleteSpace): Promise<number> {
  const { apiKeySpaces, spaces } = tables;
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    // Waits for conversations that are being written.
    await db.execute(tables.lockHeldWorkspace(workspace.id));
    const [space] = await db
      .select()
      .from(spaces)
      .where(and(eq(spaces.workspaceId, workspace.id), eq(spaces.sid, input.spaceId)))
      .for("update");
    if (space === undefined) throw spaceNotFound();
    if (space.deletedAt !== null) return space.id;
    if (space.kind === "global") {
      const message = "the space of the whole workspace cannot be deleted";
      throw invalidRequest("path", [{ path: "spaceId", message }]);
    }
    if (!input.withContent) await requireEmpty(db, space.id);
    await db
      .update(spaces)
      .set({ isRestricted: true, deletedAt: context.now() })
      .where(eq(spaces.id, space.id));
    await db.delete(apiKeySpaces).where(eq(apiKeySpaces.spaceId, space.id));
    afterCommit.push({ topic: "keys" });
    return space.id;
  });
}

async function requireEmpty(db: tables.Queryable, id: number): Promise<void> {
  const { conversations, dataSourceViews, tools } = tables;
  const some = db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.spaceId, id))
    .limit(MAX_COUNTED);
  const counts: [number, string][] = [
    [await db.$count(some.as("some")), "conversations"],
    [await db.$count(dataSourceViews, eq(dataSourceViews.spaceId, id)), "data source views"],
    [await db.$count(tools, eq(tools.spaceId, id)), "tools"],
  ];
  if (counts.every(([count]) => count === 0)) return;
  const held = counts.map(([count, what]) => {
    return `${count}${count === MAX_COUNTED ? " or more" : ""} ${what}`;
  });
  const message = `spaceId: the space contains ${held.join(", ")}: delete these, or send withContent: true`;
  throw new ParleyError("space_not_empty", message);
}

async function deleteSomeConversations(context: RequestContext, id: number): Promise<number> {
  const { conversations } = tables;
  return inTransaction(context, async (transaction) => {
    const { db, afterCommit } = transaction;
    const rows = await db
      .select({ id: conversations.id, sid: conversations.sid })
      .from(conversations)
      .where(eq(conversations.spaceId, id))
      .limit(CONVERSATIONS_AT_ONCE)
      .for("update");
    if (rows.length === 0) return 0;
    afterCommit.push(...goneHints(await deleteConversationRows(context, transaction, rows)));
    return rows.length;
  });
}

/** The numbers of the views in a space. */
function viewsOf(id: number): SQL {
  const { dataSourceViews } = tables;
  return sql`(select ${dataSourceViews.id} from ${dataSourceViews} where ${dataSourceViews.spaceId} = ${id})`;
}

async function deleteRest(db: tables.Queryable, id: number): Promise<void> {
  const { dataSourceNodes, dataSourceViews, skillTools, tools } = tables;
  const toolsOf = sql`(select ${tools.id} from ${tools} where ${tools.spaceId} = ${id})`;
  await dropRefreshes(db, viewsOf(id));
  await db.delete(dataSourceNodes).where(inArray(dataSourceNodes.viewId, viewsOf(id)));
  await db.delete(dataSourceViews).where(eq(dataSourceViews.spaceId, id));
  await db.delete(skillTools).where(inArray(skillTools.toolId, toolsOf));
  await db.delete(tools).where(eq(tools.spaceId, id));
  await db.delete(tables.memoryScopes).where(eq(tables.memoryScopes.spaceId, id));
}
