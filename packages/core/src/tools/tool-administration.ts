import {
  hasRow,
  insertRow,
  type Queryable,
  sandboxFunctions,
  skillTools,
  spaces,
  toolConnections,
  tools,
} from "@parley/db";
import {
  type AdministeredTool,
  type CreateTool,
  ParleyError,
  type Success,
  type ToolIdentity,
  type UpdateTool,
} from "@parley/schema";
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { reachesSpace, requireSpace } from "../access/space-reach.ts";
import type { Caller, RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import {
  administeredWorkspace,
  editorOf,
  requireVersion,
} from "../workspaces/administered-workspace.ts";
import { requirePersonalUse } from "./connection-clients.ts";
import { readTools } from "./tools.ts";

/** Lists the tools in the spaces that the caller reaches, the oldest first, a page at a time. */
export async function listTools(
  context: RequestContext,
  input: PageOf,
): Promise<{ tools: AdministeredTool[] } & PageEnd> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select({ id: tools.id, version: tools.version })
    .from(tools)
    .where(
      and(
        eq(tools.workspaceId, workspace.id),
        isReachedServer(context.caller),
        isAfter(tools.id, input),
      ),
    )
    .orderBy(asc(tools.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  const ids = page.map(({ id }) => id);
  const found = await readTools(context, db, { workspaceId: workspace.id, ids });
  return {
    tools: page.flatMap(({ id, version }) => {
      const tool = found.get(id);
      return tool === undefined ? [] : { tool, version };
    }),
    ...end,
  };
}

/** Adds a tool to a space that the caller reaches. Throws `space_not_found`. */
export async function createTool(
  context: RequestContext,
  input: CreateTool,
): Promise<AdministeredTool> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const { caller } = context;
    const workspace = await administeredWorkspace(context, db, input.wId);
    const named = { workspaceId: workspace.id, sid: input.spaceId };
    const space = await requireSpace(db, caller, named);
    const now = context.now();
    const row = await insertRow(db, tools, {
      sid: context.newId("msv"),
      workspaceId: workspace.id,
      spaceId: space.id,
      name: input.name,
      description: input.description,
      serverType: input.serverType,
      server: input.server,
      oAuthUseCase: input.oAuthUseCase ?? "platform_actions",
      isRestrictedToSkills: input.isRestrictedToSkills ?? false,
      editedBy: editorOf(caller),
      createdAt: now,
      updatedAt: now,
    });
    markCreated(row.sid);
    return readTool(context, db, row);
  });
}

/**
 * Changes a tool, also in the skills that have it. Throws `tool_not_found`, and `version_conflict` if
 * it was changed since the named version.
 */
export async function updateTool(
  context: RequestContext,
  input: UpdateTool,
): Promise<AdministeredTool> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const seen = await lockServer(context.caller, db, { workspaceId: workspace.id, input });
    const { name, description, server, oAuthUseCase, isRestrictedToSkills } = input;
    if (oAuthUseCase !== undefined) await requireUseCase(db, seen.id, oAuthUseCase);
    const version = seen.version + 1;
    await db
      .update(tools)
      .set({
        name,
        description,
        server,
        oAuthUseCase,
        isRestrictedToSkills,
        version,
        editedBy: editorOf(context.caller),
        updatedAt: context.now(),
      })
      .where(eq(tools.id, seen.id));
    return readTool(context, db, { ...seen, version });
  });
}

/** A connection decides whose credentials its server is called with. */
async function requireUseCase(
  db: Queryable,
  id: number,
  oAuthUseCase: NonNullable<UpdateTool["oAuthUseCase"]>,
): Promise<void> {
  const { toolId, oauth } = toolConnections;
  const [connection] = await db.select({ oauth }).from(toolConnections).where(eq(toolId, id));
  if (connection === undefined) return;
  requirePersonalUse({ oAuthUseCase, oauth: connection.oauth ?? undefined });
}

/**
 * Removes a tool, also from the skills that have it. Throws `tool_not_found`, and `version_conflict` if
 * it was changed since the named version.
 */
export async function removeTool(context: RequestContext, input: ToolIdentity): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const { id } = await lockServer(context.caller, db, { workspaceId: workspace.id, input });
    await db.delete(skillTools).where(eq(skillTools.toolId, id));
    // Its calls have been made; no more are.
    await db
      .update(sandboxFunctions)
      .set({ status: "archived" })
      .where(eq(sandboxFunctions.toolId, id));
    await db.delete(tools).where(eq(tools.id, id));
    return { success: true };
  });
}

type StoredTool = Pick<typeof tools.$inferSelect, "id" | "workspaceId" | "version">;

/** Locks a tool in the version that the caller names. */
export async function lockServer(
  caller: Caller,
  db: Queryable,
  { workspaceId, input }: { workspaceId: number; input: ToolIdentity },
): Promise<StoredTool> {
  const ofWorkspace = and(eq(tools.workspaceId, workspaceId), eq(tools.sid, input.toolId));
  const [row] = await db
    .select()
    .from(tools)
    .where(and(ofWorkspace, isReachedServer(caller)))
    .for("update");
  if (row === undefined) {
    throw new ParleyError("tool_not_found", "toolId: the workspace has no such tool");
  }
  requireVersion("tool", row, input.version);
  return row;
}

async function readTool(
  context: RequestContext,
  db: Queryable,
  { workspaceId, id, version }: StoredTool,
): Promise<AdministeredTool> {
  const tool = (await readTools(context, db, { workspaceId, ids: [id] })).get(id);
  if (tool === undefined) throw new Error("The tool is not there");
  return { tool, version };
}

/** The condition that the caller reaches the space of the row's tool. */
export function isReachedServer(caller: Caller): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  return hasRow(
    sql`from ${spaces} where ${and(sql`${spaces.id} = ${tools}.space_id`, reachesSpace(caller))}`,
  );
}
