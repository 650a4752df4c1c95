import { type Queryable, skillTools, spaces, tools } from "@parley/db";
import {
  type AdministeredTool,
  type CreateTool,
  ParleyError,
  type Success,
  type ToolIdentity,
  type UpdateTool,
} from "@parley/schema";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { type Caller, inTransaction, type RequestContext } from "./context.ts";
import { reachesSpace } from "./spaces.ts";
import { readTools } from "./tools.ts";

/** Lists the tools in the spaces that the caller reaches, by name. */
export async function listTools(
  context: RequestContext,
  input: { workspaceId: string },
): Promise<{ tools: AdministeredTool[] }> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.workspaceId);
  const rows = await db
    .select({ id: tools.id, version: tools.version })
    .from(tools)
    .where(and(eq(tools.workspaceId, workspace.id), isReached(context.caller)))
    .orderBy(sql`${tools.name} collate "C"`, sql`${tools.sid} collate "C"`);
  const found = await readTools(
    db,
    workspace.id,
    rows.map(({ id }) => id),
  );
  return {
    tools: rows.flatMap(({ id, version }) => {
      const tool = found.get(id);
      return tool === undefined ? [] : { tool, version };
    }),
  };
}

/** Adds a tool to a space that the caller reaches. Throws `space_not_found`. */
export async function createTool(
  context: RequestContext,
  input: CreateTool,
): Promise<AdministeredTool> {
  return inTransaction(context, async ({ db, made }) => {
    const { caller } = context;
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const ofSpace = and(
      eq(spaces.workspaceId, workspace.id),
      eq(spaces.sid, input.spaceId),
      caller.kind === "workspace" ? reachesSpace(caller.apiKey) : undefined,
    );
    const [space] = await db.select({ id: spaces.id }).from(spaces).where(ofSpace);
    if (space === undefined) {
      throw new ParleyError("space_not_found", "spaceId: the workspace has no such space");
    }
    const now = context.now();
    const [row] = await db
      .insert(tools)
      .values({
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
      })
      .returning({ id: tools.id, version: tools.version });
    if (row === undefined) throw new Error("The tool was not written");
    const administered = await readTool(db, workspace.id, row);
    made(administered.tool.sId);
    return administered;
  });
}

/**
 * Changes a tool, in the skills that have it too. Throws `tool_not_found`, and `version_conflict` where
 * it was changed since the named version.
 */
export async function updateTool(
  context: RequestContext,
  input: UpdateTool,
): Promise<AdministeredTool> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const seen = await lockTool(context.caller, db, { workspaceId: workspace.id, input });
    const { name, description, server, oAuthUseCase, isRestrictedToSkills } = input;
    const [row] = await db
      .update(tools)
      .set({
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(server !== undefined && { server }),
        ...(oAuthUseCase !== undefined && { oAuthUseCase }),
        ...(isRestrictedToSkills !== undefined && { isRestrictedToSkills }),
        version: seen.version + 1,
        editedBy: editorOf(context.caller),
        updatedAt: context.now(),
      })
      .where(eq(tools.id, seen.id))
      .returning({ id: tools.id, version: tools.version });
    return readTool(db, workspace.id, row ?? seen);
  });
}

/**
 * Removes a tool, from the skills that have it too. Throws `tool_not_found`, and `version_conflict` where
 * it was changed since the named version.
 */
export async function removeTool(context: RequestContext, input: ToolIdentity): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { id } = await lockTool(context.caller, db, { workspaceId: workspace.id, input });
    await db.delete(skillTools).where(eq(skillTools.toolId, id));
    await db.delete(tools).where(eq(tools.id, id));
    return { success: true };
  });
}

interface StoredTool {
  readonly id: number;
  readonly version: number;
}

/** Locks a tool in the version that the caller saw. */
async function lockTool(
  caller: Caller,
  db: Queryable,
  { workspaceId, input }: { workspaceId: number; input: ToolIdentity },
): Promise<StoredTool> {
  const ofWorkspace = and(eq(tools.workspaceId, workspaceId), eq(tools.sid, input.toolId));
  const [row] = await db
    .select({ id: tools.id, version: tools.version })
    .from(tools)
    .where(and(ofWorkspace, isReached(caller)))
    .for("update");
  if (row === undefined) {
    throw new ParleyError("tool_not_found", "toolId: the workspace has no such tool");
  }
  if (row.version !== input.version) {
    const message = `version: the tool was changed since; it is now at version ${row.version}`;
    throw new ParleyError("version_conflict", message);
  }
  return row;
}

async function readTool(
  db: Queryable,
  workspaceId: number,
  { id, version }: StoredTool,
): Promise<AdministeredTool> {
  const tool = (await readTools(db, workspaceId, [id])).get(id);
  if (tool === undefined) throw new Error("The tool is not there");
  return { tool, version };
}

/** The condition that the caller reaches the space of the tool of the row. */
function isReached(caller: Caller): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  return sql`exists (select 1 from ${spaces} where ${and(
    sql`${spaces.id} = ${tools}.space_id`,
    reachesSpace(caller.apiKey),
  )})`;
}

/** The user who stands for the caller; operators have none. */
function editorOf(caller: Caller): number | null {
  return caller.kind === "workspace" ? caller.user.id : null;
}
