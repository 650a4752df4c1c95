import { skillTools, spaces, tools } from "@parley/db";
import {
  type CreateTool,
  ParleyError,
  type Success,
  type Tool,
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
): Promise<{ tools: Tool[] }> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.workspaceId);
  const rows = await db
    .select({ id: tools.id })
    .from(tools)
    .where(and(eq(tools.workspaceId, workspace.id), isReached(context.caller)))
    .orderBy(sql`${tools.name} collate "C"`, sql`${tools.sid} collate "C"`);
  const ids = rows.map(({ id }) => id);
  const found = await readTools(db, workspace.id, ids);
  return { tools: ids.flatMap((id) => found.get(id) ?? []) };
}

/** Adds a tool to a space that the caller reaches. Throws `space_not_found`. */
export async function createTool(
  context: RequestContext,
  input: CreateTool,
): Promise<{ tool: Tool }> {
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
      .returning({ id: tools.id });
    const tool = (await readTools(db, workspace.id, [row?.id ?? 0])).get(row?.id ?? 0);
    if (tool === undefined) throw new Error("The tool was not written");
    made(tool.sId);
    return { tool };
  });
}

/** Changes a tool, in the skills that have it too. Throws `tool_not_found`. */
export async function updateTool(
  context: RequestContext,
  input: UpdateTool,
): Promise<{ tool: Tool }> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { name, description, server, oAuthUseCase, isRestrictedToSkills } = input;
    const [row] = await db
      .update(tools)
      .set({
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(server !== undefined && { server }),
        ...(oAuthUseCase !== undefined && { oAuthUseCase }),
        ...(isRestrictedToSkills !== undefined && { isRestrictedToSkills }),
        editedBy: editorOf(context.caller),
        updatedAt: context.now(),
      })
      .where(isTool(context.caller, workspace.id, input.toolId))
      .returning({ id: tools.id });
    const tool = (await readTools(db, workspace.id, row === undefined ? [] : [row.id])).get(
      row?.id ?? 0,
    );
    if (tool === undefined) throw toolNotFound();
    return { tool };
  });
}

/** Removes a tool, from the skills that have it too. Throws `tool_not_found`. */
export async function removeTool(
  context: RequestContext,
  input: { workspaceId: string; toolId: string },
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const [row] = await db
      .select({ id: tools.id })
      .from(tools)
      .where(isTool(context.caller, workspace.id, input.toolId))
      .for("update");
    if (row === undefined) throw toolNotFound();
    await db.delete(skillTools).where(eq(skillTools.toolId, row.id));
    await db.delete(tools).where(eq(tools.id, row.id));
    return { success: true };
  });
}

function isTool(caller: Caller, workspaceId: number, sid: string): SQL | undefined {
  return and(eq(tools.workspaceId, workspaceId), eq(tools.sid, sid), isReached(caller));
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

function toolNotFound(): ParleyError {
  return new ParleyError("tool_not_found", "toolId: the workspace has no such tool");
}
