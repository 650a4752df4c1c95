import {
  skillAttachments,
  skillEditors,
  skills,
  skillTools,
  spaces,
  type Queryable,
} from "@parley/db";
import { type ListSkills, ParleyError, type Skill, type SkillList } from "@parley/schema";
import { and, asc, eq, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import type { Caller, Context } from "./context.ts";
import { reachesSpace } from "./spaces.ts";
import { readTools } from "./tools.ts";

type SkillRow = typeof skills.$inferSelect;

/**
 * Lists the workspace's skills that the key reaches, by name. Unpublished ones (`editors`) are listed
 * only to an admin who bypasses their visibility. Throws `app_auth_error` when another role asks for
 * that.
 */
export async function listSkills(context: Context, input: ListSkills): Promise<SkillList> {
  const { caller } = context;
  if (input.bypassEditorVisibility && caller.apiKey.role !== "admin") {
    throw new ParleyError("app_auth_error", "bypassEditorVisibility needs an admin key");
  }
  const { db } = context.database;
  const rows = await db
    .select()
    .from(skills)
    .where(
      and(
        eq(skills.workspaceId, caller.workspace.id),
        eq(skills.status, input.status),
        input.bypassEditorVisibility ? undefined : ne(skills.availability, "editors"),
        input.availability && inArray(skills.availability, input.availability),
        reachesSkill(caller),
      ),
    )
    // By code points, whatever the database's collation.
    .orderBy(sql`${skills.name} collate "C"`, sql`${skills.sid} collate "C"`);
  return { skills: await renderSkills(db, caller, rows) };
}

/**
 * The condition that a caller reaches the skill of the row: it is for no space in particular, or the
 * caller reaches one of those that it is for. Operators reach every skill.
 */
export function reachesSkill(caller: Caller): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  const spaceIds = sql`${skills.requestedSpaceIds} || ${skills.manuallyRequestedSpaceIds}`;
  return or(
    sql`jsonb_array_length(${spaceIds}) = 0`,
    sql`exists (select 1 from ${spaces} where ${and(
      eq(spaces.workspaceId, caller.workspace.id),
      sql`(${spaceIds}) ? ${spaces.sid}`,
      reachesSpace(caller.apiKey),
    )})`,
  );
}

/** The rows as the wire shows them to the caller, in their order. */
export async function renderSkills(
  db: Queryable,
  caller: Caller,
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
  const tools = await readTools(db, first.workspaceId, toolIds);
  const attachmentsOf = Map.groupBy(attachments, (attachment) => attachment.skillId);
  const linksOf = Map.groupBy(links, (link) => link.skillId);
  const editorsOf = Map.groupBy(editors, (editor) => editor.skillId);
  return rows.map((row) => {
    const editorIds = (editorsOf.get(row.id) ?? []).map(({ userId }) => userId);
    return {
      ...renderSkill(row, mayEdit(caller, editorIds)),
      fileAttachments: (attachmentsOf.get(row.id) ?? []).map(({ fileId, fileName }) => ({
        fileId,
        fileName,
      })),
      tools: (linksOf.get(row.id) ?? []).flatMap((link) => tools.get(link.toolId) ?? []),
    };
  });
}

/**
 * Whether the caller may change a skill: admins and operators may, and of the builders its editors,
 * or all of them where it has none.
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
