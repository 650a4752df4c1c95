import { skillAttachments, skills, skillTools } from "@parley/db";
import { type ListSkills, ParleyError, type Skill, type SkillList } from "@parley/schema";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import type { Context } from "./context.ts";
import { readTools } from "./tools.ts";

type SkillRow = typeof skills.$inferSelect;

/**
 * Lists the workspace's skills by name. Unpublished ones (`editors`) are listed only to an admin
 * who bypasses their visibility. Throws `app_auth_error` when another role asks for that.
 */
export async function listSkills(context: Context, input: ListSkills): Promise<SkillList> {
  const { workspace, apiKey } = context.caller;
  if (input.bypassEditorVisibility && apiKey.role !== "admin") {
    throw new ParleyError("app_auth_error", "bypassEditorVisibility needs an admin key");
  }
  const { db } = context.database;
  const rows = await db
    .select()
    .from(skills)
    .where(
      and(
        eq(skills.workspaceId, workspace.id),
        eq(skills.status, input.status),
        input.bypassEditorVisibility ? undefined : ne(skills.availability, "editors"),
        input.availability && inArray(skills.availability, input.availability),
      ),
    )
    .orderBy(asc(skills.name), asc(skills.sid));
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return { skills: [] };
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
  const tools = await readTools(db, workspace.id, [...new Set(links.map((link) => link.toolId))]);
  const canWrite = apiKey.role === "admin" || apiKey.role === "builder";
  return {
    skills: rows.map((row) => ({
      ...renderSkill(row, canWrite),
      fileAttachments: attachments
        .filter((attachment) => attachment.skillId === row.id)
        .map(({ fileId, fileName }) => ({ fileId, fileName })),
      tools: links
        .filter((link) => link.skillId === row.id)
        .flatMap((link) => tools.get(link.toolId) ?? []),
    })),
  };
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
