import { type Queryable, skills } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { reachesSkill } from "../access/skill-reach.ts";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";

export type SkillRow = typeof skills.$inferSelect;

/** A skill that the caller reaches, locked if that is asked for. Throws `skill_not_found`. */
export async function requireSkill(
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
