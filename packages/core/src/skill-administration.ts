import { skillEditors, skills, skillTools, type Queryable, spaces, tools, users } from "@parley/db";
import {
  type AdministeredSkill,
  type CreateSkill,
  type MoveSkill,
  ParleyError,
  type PublishSkill,
  type UpdateSkill,
} from "@parley/schema";
import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { inTransaction, type RequestContext } from "./context.ts";
import type { WorkspaceRow } from "./rows.ts";
import { renderInstructions } from "./skill-folders/render-instructions.ts";
import { moveSkill, type SkillMove } from "./skill-states.ts";
import { mayEdit, reachesSkill, renderSkills } from "./skills.ts";
import { reachesSpace } from "./spaces.ts";

type SkillRow = typeof skills.$inferSelect;
type Changes = Partial<typeof skills.$inferInsert>;

/** Reads a skill that the caller reaches, with its version. Throws `skill_not_found`. */
export async function getSkill(
  context: RequestContext,
  input: { workspaceId: string; skillId: string },
): Promise<AdministeredSkill> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.workspaceId);
  return renderAdministered(context, db, await requireSkill(context, db, { workspace, ...input }));
}

/**
 * Creates a skill. Throws `space_not_found`, `member_not_found` and `tool_not_found` for what the
 * workspace does not have.
 */
export async function createSkill(
  context: RequestContext,
  input: CreateSkill,
): Promise<AdministeredSkill> {
  return inTransaction(context, async ({ db, made }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { caller } = context;
    const now = context.now();
    const [row] = await db
      .insert(skills)
      .values({
        sid: context.newId("skl"),
        workspaceId: workspace.id,
        name: input.name,
        status: input.status ?? "active",
        availability: input.availability ?? "editors",
        agentFacingDescription: input.agentFacingDescription,
        userFacingDescription: input.userFacingDescription ?? input.agentFacingDescription,
        icon: input.icon ?? null,
        source: "api",
        reinforcement: input.reinforcement ?? "auto",
        manuallyRequestedSpaceIds: await requireSpaces(context, db, workspace, input.spaceIds),
        ...instructionsOf(input),
        editedBy: caller.kind === "workspace" ? caller.user.id : null,
        createdAt: now,
        updatedAt: now,
      })
      .returning();
    if (row === undefined) throw new Error("The skill was not written");
    made(row.sid);
    await setEditors(db, row, input.editorIds);
    await setTools(db, row, input.toolIds);
    return renderAdministered(context, db, row);
  });
}

/** Changes a skill. Throws `version_conflict` where it was changed since the named version. */
export async function updateSkill(
  context: RequestContext,
  input: UpdateSkill,
): Promise<AdministeredSkill> {
  return changeSkill(context, input, async (db, workspace, row) => {
    await setEditors(db, row, input.editorIds);
    await setTools(db, row, input.toolIds);
    return {
      name: input.name ?? row.name,
      agentFacingDescription: input.agentFacingDescription ?? row.agentFacingDescription,
      userFacingDescription: input.userFacingDescription ?? row.userFacingDescription,
      icon: input.icon ?? row.icon,
      reinforcement: input.reinforcement ?? row.reinforcement,
      ...(input.instructions !== undefined && instructionsOf(input)),
      ...(input.spaceIds !== undefined && {
        manuallyRequestedSpaceIds: await requireSpaces(context, db, workspace, input.spaceIds),
      }),
    };
  });
}

/** Makes a suggested skill active. */
export const approveSkill = mover("approve");
/** Archives a skill: it is listed among the archived alone. */
export const archiveSkill = mover("archive");
/** Makes an archived skill active again. */
export const restoreSkill = mover("restore");

/** Says who can use an active skill. */
export async function publishSkill(
  context: RequestContext,
  input: PublishSkill,
): Promise<AdministeredSkill> {
  return changeSkill(context, input, async (_db, _workspace, { status }) => ({
    status: moveSkill(status, "publish"),
    availability: input.availability,
  }));
}

function mover(move: SkillMove) {
  return async (context: RequestContext, input: MoveSkill): Promise<AdministeredSkill> =>
    changeSkill(context, input, async (_db, _workspace, { status }) => ({
      status: moveSkill(status, move),
    }));
}

/** Changes a skill, which is locked meanwhile, from the version that the caller saw to the next. */
async function changeSkill(
  context: RequestContext,
  input: MoveSkill,
  change: (db: Queryable, workspace: WorkspaceRow, row: SkillRow) => Promise<Changes>,
): Promise<AdministeredSkill> {
  return inTransaction(context, async ({ db }) => {
    const { caller } = context;
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const row = await requireSkill(context, db, { workspace, skillId: input.skillId }, "update");
    const editors = await db.select().from(skillEditors).where(eq(skillEditors.skillId, row.id));
    const editorIds = editors.map(({ userId }) => userId);
    if (!mayEdit(caller, editorIds)) {
      throw new ParleyError("app_auth_error", "Only admins and the skill's editors may change it");
    }
    if (row.version !== input.version) {
      const message = `version: the skill was changed since; it is now at version ${row.version}`;
      throw new ParleyError("version_conflict", message);
    }
    const [changed] = await db
      .update(skills)
      .set({
        ...(await change(db, workspace, row)),
        version: row.version + 1,
        updatedAt: context.now(),
        ...(caller.kind === "workspace" && { editedBy: caller.user.id }),
      })
      .where(eq(skills.id, row.id))
      .returning();
    if (changed === undefined) throw new Error("The skill was not written");
    return renderAdministered(context, db, changed);
  });
}

async function requireSkill(
  { caller }: RequestContext,
  db: Queryable,
  { workspace, skillId }: { workspace: WorkspaceRow; skillId: string },
  lock?: "update",
): Promise<SkillRow> {
  const ofSkill = and(
    eq(skills.workspaceId, workspace.id),
    eq(skills.sid, skillId),
    reachesSkill(caller),
  );
  const query = db.select().from(skills).where(ofSkill);
  const [row] = await (lock === undefined ? query : query.for(lock));
  if (row === undefined) {
    throw new ParleyError("skill_not_found", "skillId: the workspace has no such skill");
  }
  return row;
}

function instructionsOf({ instructions }: { instructions?: string | undefined }): Changes {
  if (instructions === undefined) return { instructions: null, instructionsHtml: null };
  return { instructions, instructionsHtml: renderInstructions(instructions) };
}

/** The ids, once each, of spaces that the caller reaches. Throws `space_not_found`. */
async function requireSpaces(
  { caller }: RequestContext,
  db: Queryable,
  workspace: WorkspaceRow,
  sids: readonly string[] = [],
): Promise<string[]> {
  const wanted = [...new Set(sids)];
  const reached = caller.kind === "workspace" ? reachesSpace(caller.apiKey) : undefined;
  const found = await db
    .select({ sid: spaces.sid })
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspace.id), inArray(spaces.sid, wanted), reached));
  const missing = missingOf(wanted, found);
  if (missing === undefined) return wanted;
  throw new ParleyError("space_not_found", `spaceIds: the workspace has no space ${missing}`);
}

async function setEditors(
  db: Queryable,
  row: SkillRow,
  sids: readonly string[] | undefined,
): Promise<void> {
  if (sids === undefined) return;
  const wanted = [...new Set(sids)];
  const found = await db
    .select({ id: users.id, sid: users.sid })
    .from(users)
    .where(
      and(
        eq(users.workspaceId, row.workspaceId),
        inArray(users.sid, wanted),
        isNull(users.removedAt),
      ),
    );
  const missing = missingOf(wanted, found);
  if (missing !== undefined) {
    throw new ParleyError("member_not_found", `editorIds: the workspace has no user ${missing}`);
  }
  await db.delete(skillEditors).where(eq(skillEditors.skillId, row.id));
  if (found.length === 0) return;
  await db.insert(skillEditors).values(found.map(({ id }) => ({ skillId: row.id, userId: id })));
}

async function setTools(
  db: Queryable,
  row: SkillRow,
  sids: readonly string[] | undefined,
): Promise<void> {
  if (sids === undefined) return;
  const wanted = [...new Set(sids)];
  const found = await db
    .select({ id: tools.id, sid: tools.sid })
    .from(tools)
    .where(and(eq(tools.workspaceId, row.workspaceId), inArray(tools.sid, wanted)));
  const missing = missingOf(wanted, found);
  if (missing !== undefined) {
    throw new ParleyError("tool_not_found", `toolIds: the workspace has no tool ${missing}`);
  }
  await db.delete(skillTools).where(eq(skillTools.skillId, row.id));
  if (found.length === 0) return;
  const ids = new Map(found.map(({ id, sid }) => [sid, id]));
  const links = wanted.flatMap((sid, position) => {
    const toolId = ids.get(sid);
    return toolId === undefined ? [] : [{ skillId: row.id, toolId, position }];
  });
  await db.insert(skillTools).values(links);
}

function missingOf(
  wanted: readonly string[],
  found: readonly { sid: string }[],
): string | undefined {
  return wanted.find((sid) => !found.some((row) => row.sid === sid));
}

async function renderAdministered(
  { caller }: RequestContext,
  db: Queryable,
  row: SkillRow,
): Promise<AdministeredSkill> {
  const [skill] = await renderSkills(db, caller, [row]);
  if (skill === undefined) throw new Error("The skill was not rendered");
  const editors = await db
    .select({ sid: users.sid })
    .from(skillEditors)
    .innerJoin(users, eq(users.id, skillEditors.userId))
    .where(eq(skillEditors.skillId, row.id))
    .orderBy(asc(users.id));
  return { skill, version: row.version, editorIds: editors.map(({ sid }) => sid) };
}
