import * as tables from "@parley/db";
import { ParleyError, type Success } from "@parley/schema";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { deleteActivity } from "./activity/count-activity.ts";
import { deleteAlerts } from "./alerts/alerts.ts";
import type { RequestContext } from "./context.ts";
import { deleteConversationRows } from "./conversations/conversations.ts";
import { onSlowDatabase } from "./data-access/slow-database.ts";
import { deleteSomeNodes, dropRefreshes } from "./knowledge/data-source-administration.ts";
import { goneHints } from "./log/bus.ts";
import { inTransaction, type Transaction } from "./log/transaction.ts";
import { deleteMemories } from "./memories/memories.ts";
import { deleteMeasures } from "./measures/sweep-measures.ts";
import { deleteInvocationRows } from "./invocations/sweep-invocations.ts";
import { removeClientServers } from "./tools/client-requests.ts";
import { deleteFunctionSecrets } from "./functions/function-secrets.ts";
import { deleteTraceDestinations } from "./trace-destinations/trace-destinations.ts";
import { deleteTriggers } from "./triggers/triggers.ts";
import { deletePricesAndBudgets, deleteSomeUsage } from "./usage/delete-usage.ts";
import { deleteSchedules } from "./schedules/schedules.ts";
import { deleteSavedViews } from "./search/saved-views.ts";
import { deleteWebhooks } from "./webhooks/webhooks.ts";
import { deleteProviderCredentials } from "./workspaces/provider-credentials.ts";

const CONVERSATIONS_AT_ONCE = 200;
const INVOCATIONS_AT_ONCE = 1000;
/** Each may have 200 chunks or more. */
const FILES_AT_ONCE = 20;
const TEXTS_AT_ONCE = 100;
const KEYS_AT_ONCE = 1000;

/**
 * Deletes a workspace with everything in it but its audit log. Its keys are refused first, and nothing
 * is written into it from then on; its content then goes in batches, so that no transaction grows with
 * the workspace. Calling it again finishes an interrupted deletion.
 */
export async function deleteWorkspace(
  request: RequestContext,
  input: { wId: string },
): Promise<Success> {
  const context = onSlowDatabase(request);
  const { id } = await inTransaction(context, async ({ db, afterCommit }) => {
    const row = await markDeleted(context, db, input.wId);
    await db
      .update(tables.apiKeys)
      .set({ revokedAt: context.now() })
      .where(eq(tables.apiKeys.workspaceId, row.id));
    for (const topic of ["keys", "agents", "functions"] as const) {
      afterCommit.push({ topic, workspaceId: row.id });
    }
    return row;
  });
  const { dataSourceViews } = tables;
  const views = sql`(select ${dataSourceViews.id} from ${dataSourceViews} where ${dataSourceViews.workspaceId} = ${id})`;
  const steps = [
    deleteSomeConversations,
    deleteSomeInvocations,
    deleteSomeFiles,
    deleteSomeTexts,
    deleteSomeKeys,
    deleteSomeUsage,
    (of: RequestContext) => deleteSomeNodes(of, views),
  ];
  for (const deleteSome of steps) while ((await deleteSome(context, id)) > 0);
  await inTransaction(context, async (transaction) => deleteRest(transaction, id));
  return { success: true };
}

/** Waits for writes in progress in the workspace and prevents further ones. */
async function markDeleted({ now }: RequestContext, db: tables.Queryable, sid: string) {
  const { workspaces } = tables;
  const [found] = await db.select().from(workspaces).where(eq(workspaces.sid, sid));
  if (found === undefined) {
    throw new ParleyError("workspace_not_found", "wId: no such workspace");
  }
  await db.execute(tables.lockHeldWorkspace(found.id));
  await db.update(workspaces).set({ deletedAt: now() }).where(eq(workspaces.id, found.id));
  return found;
}

async function deleteSomeConversations(context: RequestContext, id: number): Promise<number> {
  return inTransaction(context, async (transaction) => {
    const { db, afterCommit } = transaction;
    const rows = await db
      .select({ id: tables.conversations.id, sid: tables.conversations.sid })
      .from(tables.conversations)
      .where(eq(tables.conversations.workspaceId, id))
      .orderBy(asc(tables.conversations.position))
      .limit(CONVERSATIONS_AT_ONCE)
      .for("update");
    if (rows.length === 0) return 0;
    afterCommit.push(...goneHints(await deleteConversationRows(context, transaction, rows)));
    return rows.length;
  });
}

async function deleteSomeInvocations(context: RequestContext, id: number): Promise<number> {
  const { invocations, sandboxFunctions } = tables;
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    // The index is by function, not by workspace.
    const functionIds = db
      .select({ id: sandboxFunctions.id })
      .from(sandboxFunctions)
      .where(eq(sandboxFunctions.workspaceId, id));
    const rows = await db
      .select({ sid: invocations.sid })
      .from(invocations)
      .where(inArray(invocations.functionId, functionIds))
      .limit(INVOCATIONS_AT_ONCE);
    if (rows.length === 0) return 0;
    const logIds = rows.map((row) => row.sid);
    await deleteInvocationRows(transaction, logIds);
    return rows.length;
  });
}

async function deleteSomeFiles(context: RequestContext, id: number): Promise<number> {
  const { files, workspaces } = tables;
  return inTransaction(context, async ({ db }) => {
    // Announcing a file locks the workspace, so none is added after this.
    await db.select().from(workspaces).where(eq(workspaces.id, id)).for("update");
    const ofWorkspace = db.select({ id: files.id }).from(files).where(eq(files.workspaceId, id));
    const deleted = await db
      .delete(files)
      .where(inArray(files.id, ofWorkspace.limit(FILES_AT_ONCE)))
      .returning({ id: files.id });
    return deleted.length;
  });
}

async function deleteSomeTexts({ database }: RequestContext, id: number): Promise<number> {
  const { workspaceId, sha256 } = tables.fileTexts;
  const ofWorkspace = database.db
    .select({ sha256 })
    .from(tables.fileTexts)
    .where(eq(workspaceId, id));
  const deleted = await database.db
    .delete(tables.fileTexts)
    .where(and(eq(workspaceId, id), inArray(sha256, ofWorkspace.limit(TEXTS_AT_ONCE))))
    .returning({ sha256 });
  return deleted.length;
}

async function deleteSomeKeys({ database }: RequestContext, id: number): Promise<number> {
  const { idempotencyKeys } = tables;
  const { workspaceId, scope } = idempotencyKeys;
  const ofWorkspace = database.db
    .select({ scope })
    .from(idempotencyKeys)
    .where(eq(workspaceId, id));
  const deleted = await database.db
    .delete(idempotencyKeys)
    .where(and(eq(workspaceId, id), inArray(scope, ofWorkspace.limit(KEYS_AT_ONCE))))
    .returning({ scope });
  return deleted.length;
}

/** Deletes the rows that belong to others first, then those that belong to the workspace. */
async function deleteRest(transaction: Transaction, id: number): Promise<void> {
  const { db } = transaction;
  const { clientServers } = tables;
  const ofClients = await db.select().from(clientServers).where(eq(clientServers.workspaceId, id));
  await removeClientServers(transaction, ofClients);
  const { agentFunctions, agentSkills, agents, apiKeys, apiKeySpaces } = tables;
  const { dataSourceNodes, dataSourceViews, sandboxFunctions, skills, spaces } = tables;
  const parts = [
    { column: agentSkills.skillId, of: skills },
    { column: tables.skillTools.skillId, of: skills },
    { column: tables.skillEditors.skillId, of: skills },
    { column: tables.skillAttachments.skillId, of: skills },
    { column: tables.skillOriginals.skillId, of: skills },
    { column: tables.skillDefinitions.skillId, of: skills },
    { column: agentFunctions.functionId, of: sandboxFunctions },
    { column: tables.functionApprovals.functionId, of: sandboxFunctions },
    { column: tables.sandboxFunctionVersions.functionId, of: sandboxFunctions },
    { column: dataSourceNodes.viewId, of: dataSourceViews },
    { column: apiKeySpaces.apiKeyId, of: apiKeys },
    { column: tables.userTokens.userId, of: tables.users },
    { column: tables.agentFavorites.userId, of: tables.users },
    { column: tables.rotatedSecrets.apiKeyId, of: apiKeys },
    { column: tables.sessions.apiKeyId, of: apiKeys },
  ];
  for (const { column, of } of parts) {
    const ids = sql`(select ${of.id} from ${of} where ${of.workspaceId} = ${id})`;
    await db.delete(column.table).where(inArray(column, ids));
  }
  await dropRefreshes(
    db,
    sql`(select ${dataSourceViews.id} from ${dataSourceViews} where ${dataSourceViews.workspaceId} = ${id})`,
  );
  await db.delete(tables.webSources).where(eq(tables.webSources.workspaceId, id));
  await deleteProviderCredentials(db, id);
  await deleteTraceDestinations(db, id);
  await deleteTriggers(db, id);
  await deleteSchedules(db, id);
  await deleteWebhooks(db, id);
  await deleteSavedViews(db, id);
  await deleteFunctionSecrets(db, id);
  await deletePricesAndBudgets(db, id);
  await deleteActivity(db, id);
  await deleteAlerts(db, id);
  await deleteMeasures(db, id);
  await deleteMemories(db, id);
  const { tools, users } = tables;
  for (const table of [
    skills,
    tools,
    sandboxFunctions,
    agents,
    tables.embeddingSets,
    dataSourceViews,
    apiKeys,
    users,
    spaces,
  ]) {
    await db.delete(table).where(eq(table.workspaceId, id));
  }
  await db.delete(tables.workspaces).where(eq(tables.workspaces.id, id));
}
