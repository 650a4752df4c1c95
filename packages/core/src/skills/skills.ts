import { skillAttachments, skillEditors, skills, skillTools, type Queryable } from "@parley/db";
import {
  type ListSkills,
  ParleyError,
  type ReadSkill,
  type Skill,
  type SkillList,
} from "@parley/schema";
import { and, asc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { reachesSkill } from "../access/skill-reach.ts";
import type { Caller, Context } from "../context.ts";
import type { PublicUrl } from "../workspaces/pictures.ts";
import { readTools } from "../tools/tools.ts";

type SkillRow = typeof skills.$inferSelect;

/**
 * Lists the workspace's skills that the key reaches, by name. Unpublished skills (`editors`) are listed
 * only for admins that bypass their visibility; other roles get `app_auth_error` for it.
 */
export async function listSkills(context: Context, input: ListSkills): Promise<SkillList> {
  const isListed = isVisible(context, input);
  const { db } = context.database;
  const rows = await db
    .select()
    .from(skills)
    .where(
      and(
        isListed,
        eq(skills.status, input.status),
        input.availability && inArray(skills.availability, input.availability),
      ),
    )
    // By code point, independent of the collation of the database.
    .orderBy(sql`${skills.name} collate "C"`, sql`${skills.sid} collate "C"`);
  return { skills: await renderSkills(context, db, rows) };
}

/**
 * Reads a skill that the caller could list, in any status. Throws `skill_not_found` for others, and
 * `app_auth_error` as `listSkills` does.
 */
export async function readSkill(
  context: Context,
  input: ReadSkill & { skillId: string },
): Promise<{ skill: Skill }> {
  const isListed = isVisible(context, input);
  const { db } = context.database;
  const rows = await db
    .select()
    .from(skills)
    .where(and(isListed, eq(skills.sid, input.skillId)));
  const [skill] = await renderSkills(context, db, rows);
  if (skill === undefined) {
    throw new ParleyError("skill_not_found", "skillId: the workspace has no such skill");
  }
  return { skill };
}

/** The condition that lists may have the row of `skills`. Throws `app_auth_error` as `listSkills` does. */
export function isVisible(
  { caller }: Context,
  { bypassEditorVisibility }: ReadSkill,
): SQL | undefined {
  if (bypassEditorVisibility && caller.apiKey.role !== "admin") {
    throw new ParleyError("app_auth_error", "bypassEditorVisibility needs an admin key");
  }
  return and(
    eq(skills.workspaceId, caller.workspace.id),
    bypassEditorVisibility ? undefined : ne(skills.availability, "editors"),
    reachesSkill(caller),
  );
}

/** The rows as the wire shows them to the caller, in order. */
export async function renderSkills(
  core: PublicUrl & { readonly caller: Caller },
  db: Queryable,
  rows: readonly SkillRow[],
): Promise<Skill[]> {
  const ids = rows.map((row) => row.id);
  const [first] = rows;
  if (first === undefined) return [];
  const attachments = await db
    .select()
    .from(skillAttachments)
    .where(inArray(skillAttachments.skillId, ids))
    .orderBy(asc(skillAttachments.position));
  const links = await db
    .select()
    .from(skillTools)
    .where(inArray(skillTools.skillId, ids))
    .orderBy(asc(skillTools.position));
  const editors = await db.select().from(skillEditors).where(inArray(skillEditors.skillId, ids));
  const toolIds = [...new Set(links.map((link) => link.toolId))];
  const tools = await readTools(core, db, { workspaceId: first.workspaceId, ids: toolIds });
  const attachmentsOf = Map.groupBy(attachments, (attachment) => attachment.skillId);
  const linksOf = Map.groupBy(links, (link) => link.skillId);
  const editorsOf = Map.groupBy(editors, (editor) => editor.skillId);
  return rows.map((row) => {
    const editorIds = (editorsOf.get(row.id) ?? []).map(({ userId }) => userId);
    return {
      ...renderSkill(row, mayEdit(core.caller, editorIds)),
      fileAttachments: (attachmentsOf.get(row.id) ?? []).map(({ fileId, fileName }) => ({
        fileId,
        fileName,
      })),
      tools: (linksOf.get(row.id) ?? []).flatMap((link) => tools.get(link.toolId) ?? []),
    };
  });
}

/**
 * Whether the caller may change a skill: admins and operators may, and builders that are its editors,
 * or all builders if it has none.
 */
export function mayEdit(caller: Caller, editorIds: readonly number[]): boolean {
  if (caller.kind === "operator" || caller.apiKey.role === "admin") return true;
  if (caller.apiKey.role !== "builder") return false;
  return editorIds.length === 0 || editorIds.includes(caller.user.id);
}

function renderSkill(row: SkillRow, canWrite: boolean): Omit<Skill, "fileAttachments" | "tools"> {
  const analysedAt = row.lastReinforcementAnalysisAt;
  return {
    sId: row.sid,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    editedBy: row.editedBy,
    status: row.status,
    name: row.name,
    agentFacingDescription: row.agentFacingDescription,
    userFacingDescription: row.userFacingDescription,
    icon: row.icon,
    source: row.source,
    sourceMetadata: row.sourceMetadata,
    reinforcement: row.reinforcement,
    lastReinforcementAnalysisAt: analysedAt === null ? null : new Date(analysedAt).toISOString(),
    requestedSpaceIds: row.requestedSpaceIds,
    manuallyRequestedSpaceIds: row.manuallyRequestedSpaceIds,
    canRead: true,
    canWrite,
    isDefault: row.availability === "users_and_agents",
    availability: row.availability,
    instructions: row.instructions,
    instructionsHtml: row.instructionsHtml,
  };
}
