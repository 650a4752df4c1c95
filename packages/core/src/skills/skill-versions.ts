import {
  type Queryable,
  skillAttachments,
  skillDefinitions,
  skills,
  skillTools,
  tools,
  users,
} from "@parley/db";
import { type ListSkillVersions, MAX_SKILL_VERSIONS, type SkillVersionPage } from "@parley/schema";
import { and, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import { reachesSkillVersion } from "../access/skill-reach.ts";
import type { RequestContext } from "../context.ts";
import { isOlder, takeSizedPage } from "../data-access/pages.ts";
import { administeredWorkspace, editorOf } from "../workspaces/administered-workspace.ts";
import { requireSkill } from "./required-skill.ts";

const { skillId, version, definition } = skillDefinitions;

/**
 * Changes a locked skill to its next version, and stores what it then is. Stores also what it was before, which
 * it was given by a process from before versions were stored. The oldest version beyond those that are kept is
 * forgotten.
 */
export async function changeVersion<Changed>(
  context: RequestContext,
  db: Queryable,
  { id, change }: { id: number; change: () => Promise<Changed> },
): Promise<Changed> {
  await storeVersion(db, id, sql`${skills.editedBy}`);
  const changed = await change();
  await storeNewVersion(context, db, id);
  return changed;
}

/** Stores what a new skill, or one that was changed, is now. */
export async function storeNewVersion(
  { caller }: RequestContext,
  db: Queryable,
  id: number,
): Promise<void> {
  await storeVersion(db, id, sql`${editorOf(caller)}::bigint`);
  const newest = db.select({ version: skills.version }).from(skills).where(eq(skills.id, id));
  const oldest = sql`(${newest}) - ${MAX_SKILL_VERSIONS}`;
  await db.delete(skillDefinitions).where(and(eq(skillId, id), lte(version, oldest)));
}

// The migration that introduced the table has the same for all skills.
async function storeVersion(db: Queryable, id: number, editor: SQL): Promise<void> {
  const attachments = sql`(
    select jsonb_agg(jsonb_build_object('fileId', ${skillAttachments.fileId},
      'fileName', ${skillAttachments.fileName}) order by ${skillAttachments.position})
    from ${skillAttachments} where ${skillAttachments.skillId} = ${skills.id})`;
  const ofTools = sql`(
    select jsonb_agg(jsonb_build_object('sId', ${tools.sid}, 'name', ${tools.name})
      order by ${skillTools.position})
    from ${skillTools} join ${tools} on ${tools.id} = ${skillTools.toolId}
    where ${skillTools.skillId} = ${skills.id})`;
  await db.execute(sql`
    insert into ${skillDefinitions} (skill_id, version, created_at, edited_by, space_ids, definition)
    select ${skills.id}, ${skills.version}, ${skills.updatedAt}, ${editor},
      ${skills.requestedSpaceIds} || ${skills.manuallyRequestedSpaceIds},
      jsonb_build_object(
        'name', ${skills.name},
        'status', ${skills.status},
        'availability', ${skills.availability},
        'agentFacingDescription', ${skills.agentFacingDescription},
        'userFacingDescription', ${skills.userFacingDescription},
        'icon', ${skills.icon},
        'source', ${skills.source},
        'sourceMetadata', ${skills.sourceMetadata},
        'reinforcement', ${skills.reinforcement},
        'manuallyRequestedSpaceIds', ${skills.manuallyRequestedSpaceIds},
        'instructions', ${skills.instructions},
        'fileAttachments', coalesce(${attachments}, '[]'),
        'tools', coalesce(${ofTools}, '[]')
      )
    from ${skills} where ${skills.id} = ${id}
    on conflict do nothing`);
}

const size = sql`octet_length(${definition}::text)`;
/** Bytes of the versions down to that of the row. */
const bytes = sql<number>`(sum(${size}) over (order by ${version} desc))::float8`;

/**
 * Lists the versions of a skill that the caller reaches, the newest first, a page at a time; a page of several is
 * bounded in bytes. Throws `skill_not_found`.
 */
export async function listSkillVersions(
  context: RequestContext,
  input: ListSkillVersions,
): Promise<SkillVersionPage> {
  const { db } = context.database;
  const { lastValue, limit } = input;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const { id } = await requireSkill(context, db, { workspace, skillId: input.skillId });
  const ofPlace = and(
    eq(skillId, id),
    reachesSkillVersion(context.caller, workspace.id),
    isOlder(version, lastValue),
  );
  const sizes = await db
    .select({ version, bytes })
    .from(skillDefinitions)
    .where(ofPlace)
    .orderBy(desc(version))
    .limit(limit + 1);
  const { last, hasMore } = takeSizedPage(sizes, limit);
  if (last === undefined) return { versions: [], hasMore: false, lastValue: null };
  const rows = await db
    .select({ row: skillDefinitions, editor: { sId: users.sid, name: users.fullName } })
    .from(skillDefinitions)
    .leftJoin(users, eq(users.id, skillDefinitions.editedBy))
    .where(and(ofPlace, gte(version, last.version)))
    .orderBy(desc(version));
  return {
    versions: rows.map(({ row, editor }) => {
      return { ...row.definition, version: row.version, createdAt: row.createdAt, editor };
    }),
    hasMore,
    lastValue: String(last.version),
  };
}
