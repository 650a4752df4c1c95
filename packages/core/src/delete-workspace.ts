import * as tables from "@parley/db";
import type { Success } from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { inTransaction, type RequestContext } from "./context.ts";
import { goneHints } from "./events/bus.ts";
import { deleteProviderCredentials } from "./provider-credentials.ts";
import { deleteConversationRows } from "./stored-conversations.ts";

const CONVERSATIONS_AT_ONCE = 200;
const INVOCATIONS_AT_ONCE = 1000;
/** Each may have 200 chunks or more. */
const FILES_AT_ONCE = 20;
const KEYS_AT_ONCE = 1000;

/**
 * Deletes a workspace with everything in it. Its keys are refused first; conversations and
 * invocations then go in batches, so that no transaction grows with the workspace. Doing it again
 * finishes what was cut off. What the audit log says of the workspace stays.
 */
export async function deleteWorkspace(
  context: RequestContext,
  input: { workspaceId: string },
): Promise<Success> {
  const { id } = await inTransaction(context, async ({ db, afterCommit }) => {
    const row = await administeredWorkspace(context, db, input.workspaceId);
    await db
      .update(tables.apiKeys)
      .set({ revokedAt: context.now() })
      .where(eq(tables.apiKeys.workspaceId, row.id));
    afterCommit.push({ topic: "keys" }, { topic: "agents" }, { topic: "functions" });
    return row;
  });
  while ((await deleteSomeConversations(context, id)) > 0);
  while ((await deleteSomeInvocations(context, id)) > 0);
  while ((await deleteSomeFiles(context, id)) > 0);
  while ((await deleteSomeKeys(context, id)) > 0);
  await inTransaction(context, async ({ db }) => deleteRest(db, id));
  return { success: true };
}

async function deleteSomeConversations(context: RequestContext, id: number): Promise<number> {
  return inTransaction(context, async (transaction) => {
    const { db, afterCommit } = transaction;
    const rows = await db
      .select({ id: tables.conversations.id, sid: tables.conversations.sid })
      .from(tables.conversations)
      .where(eq(tables.conversations.workspaceId, id))
      .orderBy(asc(tables.conversations.id))
      .limit(CONVERSATIONS_AT_ONCE)
      .for("update");
    if (rows.length === 0) return 0;
    afterCommit.push(...goneHints(await deleteConversationRows(context, transaction, rows)));
    return rows.length;
  });
}

async function deleteSomeInvocations(context: RequestContext, id: number): Promise<number> {
  const { runs, logs, events, invocations, sandboxFunctions } = tables;
  return inTransaction(context, async ({ db, afterCommit }) => {
    // There is an index by function, and none by workspace.
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
    // The logs first, in the order of their ids, as all writers lock them.
    const locked = db.select({ id: logs.id }).from(logs).where(inArray(logs.id, logIds));
    await locked.orderBy(asc(logs.id)).for("update");
    await db.delete(logs).where(inArray(logs.id, logIds));
    await db.delete(events).where(inArray(events.logId, logIds));
    await db.delete(runs).where(inArray(runs.logId, logIds));
    await db.delete(invocations).where(inArray(invocations.sid, logIds));
    afterCommit.push(...goneHints(logIds));
    return rows.length;
  });
}

async function deleteSomeFiles(context: RequestContext, id: number): Promise<number> {
  const { files } = tables;
  return inTransaction(context, async ({ db }) => {
    // Who announces a file locks the workspace: from the last look on, there are no more.
    await db
      .select({ id: tables.workspaces.id })
      .from(tables.workspaces)
      .where(eq(tables.workspaces.id, id))
      .for("update");
    const some = db
      .select({ id: files.id })
      .from(files)
      .where(eq(files.workspaceId, id))
      .limit(FILES_AT_ONCE);
    const deleted = await db
      .delete(files)
      .where(inArray(files.id, some))
      .returning({ id: files.id });
    return deleted.length;
  });
}

async function deleteSomeKeys({ database }: RequestContext, id: number): Promise<number> {
  const { workspaceId, scope } = tables.idempotencyKeys;
  const some = database.db
    .select({ scope })
    .from(tables.idempotencyKeys)
    .where(eq(workspaceId, id))
    .limit(KEYS_AT_ONCE);
  const deleted = await database.db
    .delete(tables.idempotencyKeys)
    .where(and(eq(workspaceId, id), inArray(scope, some)))
    .returning({ scope });
  return deleted.length;
}

async function deleteRest(db: tables.Queryable, id: number): Promise<void> {
  const skillIds = db
    .select({ id: tables.skills.id })
    .from(tables.skills)
    .where(eq(tables.skills.workspaceId, id));
  await db.delete(tables.agentSkills).where(inArray(tables.agentSkills.skillId, skillIds));
  await db.delete(tables.skillTools).where(inArray(tables.skillTools.skillId, skillIds));
  await db.delete(tables.skillEditors).where(inArray(tables.skillEditors.skillId, skillIds));
  await db
    .delete(tables.skillAttachments)
    .where(inArray(tables.skillAttachments.skillId, skillIds));
  await db.delete(tables.skills).where(eq(tables.skills.workspaceId, id));
  await db.delete(tables.tools).where(eq(tables.tools.workspaceId, id));
  await deleteProviderCredentials(db, id);
  await deleteFunctions(db, id);
  await db.delete(tables.agents).where(eq(tables.agents.workspaceId, id));
  const { dataSourceViews, dataSourceNodes, apiKeys, apiKeySpaces } = tables;
  const viewIds = db
    .select({ id: dataSourceViews.id })
    .from(dataSourceViews)
    .where(eq(dataSourceViews.workspaceId, id));
  await db.delete(dataSourceNodes).where(inArray(dataSourceNodes.viewId, viewIds));
  await db.delete(dataSourceViews).where(eq(dataSourceViews.workspaceId, id));
  const keyIds = db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.workspaceId, id));
  await db.delete(apiKeySpaces).where(inArray(apiKeySpaces.apiKeyId, keyIds));
  await db.delete(apiKeys).where(eq(apiKeys.workspaceId, id));
  await db.delete(tables.users).where(eq(tables.users.workspaceId, id));
  await db.delete(tables.spaces).where(eq(tables.spaces.workspaceId, id));
  await db.delete(tables.workspaces).where(eq(tables.workspaces.id, id));
}

async function deleteFunctions(db: tables.Queryable, id: number): Promise<void> {
  const { agentFunctions, functionApprovals, sandboxFunctions, sandboxFunctionVersions } = tables;
  const ofWorkspace = eq(sandboxFunctions.workspaceId, id);
  const ids = db.select({ id: sandboxFunctions.id }).from(sandboxFunctions).where(ofWorkspace);
  await db.delete(agentFunctions).where(inArray(agentFunctions.functionId, ids));
  await db.delete(functionApprovals).where(inArray(functionApprovals.functionId, ids));
  await db.delete(sandboxFunctionVersions).where(inArray(sandboxFunctionVersions.functionId, ids));
  await db.delete(sandboxFunctions).where(ofWorkspace);
}
