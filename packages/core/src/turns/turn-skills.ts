import { files, skillAttachments, skills } from "@parley/db";
import { and, asc, eq, sql } from "drizzle-orm";
import { turnReachesSkill } from "../access/skill-reach.ts";
import type { Process } from "../context.ts";
import type { ConversationRow, MessageRow } from "../data-access/rows.ts";

/** A skill in a turn's prompt; its instructions are read when the model loads it. */
export interface TurnSkill {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}

/** The turn that reads a skill. */
interface SkillReader {
  readonly message: Pick<MessageRow, "workspaceId">;
  readonly conversation: Pick<ConversationRow, "spaceId">;
}

/** Skills that a turn is offered. */
export const MAX_TURN_SKILLS = 100;
const MAX_DESCRIPTION_CHARACTERS = 2048;

/** The subquery of a claim that gives the `TurnSkill`s of the agent `a` that the conversation `c` reaches. */
export const skillsOfTurn = sql`
  select json_agg(json_build_object(
    'id', id, 'name', name,
    'description', left(agent_facing_description, ${sql.raw(String(MAX_DESCRIPTION_CHARACTERS))})
  ) order by position, name, sid)
  from (
    select skills.id, skills.sid, skills.name, skills.agent_facing_description, own.position
    from agent_skills own join skills on skills.id = own.skill_id
    where own.agent_id = a.id and skills.status = 'active'
      and ${turnReachesSkill(sql`c.space_id`)}
    union all
    select skills.id, skills.sid, skills.name, skills.agent_facing_description, null
    from skills
    where skills.workspace_id = a.workspace_id
      and skills.availability = 'users_and_agents' and skills.status = 'active'
      and ${turnReachesSkill(sql`c.space_id`)}
    order by position, name, sid
    limit ${sql.raw(String(MAX_TURN_SKILLS))}
  ) offered`;

/**
 * Reads the instructions of a turn's skill. Null when the skill is no longer active, or no longer
 * reached from the conversation.
 */
export async function loadSkillInstructions(
  { database }: Pick<Process, "database">,
  { message, conversation }: SkillReader,
  skillId: number,
): Promise<string | null> {
  const [row] = await database.db
    .select({ instructions: skills.instructions })
    .from(skills)
    .where(
      and(
        eq(skills.id, skillId),
        eq(skills.workspaceId, message.workspaceId),
        eq(skills.status, "active"),
        turnReachesSkill(conversation.spaceId),
      ),
    );
  return row === undefined ? null : (row.instructions ?? "");
}

/** A file of a skill as a turn's model sees it. */
export interface SkillFile {
  /** Its name, with its path in the skill's folder if it has one. */
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** Lists the files of a turn's skill, in their order; null if the turn may not load the skill. */
export async function listSkillFiles(
  core: Process,
  turn: SkillReader,
  skillId: number,
): Promise<SkillFile[] | null> {
  if ((await loadSkillInstructions(core, turn, skillId)) === null) return null;
  const { name, contentType, sizeBytes } = columns;
  return core.database.db
    .select({ name, contentType, sizeBytes })
    .from(skillAttachments)
    .innerJoin(files, isAttached(turn))
    .where(eq(skillAttachments.skillId, skillId))
    .orderBy(asc(skillAttachments.position));
}

/**
 * Reads a file of a turn's skill: its text, bounded as agents are given text of files, or null if
 * it is none. Undefined if the turn may not load the skill, or the skill has no such file.
 */
export async function readSkillFile(
  core: Process,
  turn: SkillReader,
  { skillId, name }: { skillId: number; name: string },
): Promise<(SkillFile & { text: string | null }) | undefined> {
  if ((await loadSkillInstructions(core, turn, skillId)) === null) return undefined;
  const [file] = await core.database.db
    .select({ ...columns, text: files.text })
    .from(skillAttachments)
    .innerJoin(files, isAttached(turn))
    .where(and(eq(skillAttachments.skillId, skillId), eq(skillAttachments.fileName, name)))
    .orderBy(asc(skillAttachments.position))
    .limit(1);
  return file;
}

const columns = {
  name: skillAttachments.fileName,
  contentType: files.contentType,
  sizeBytes: files.sizeBytes,
};

function isAttached({ message }: SkillReader) {
  return and(eq(files.sid, skillAttachments.fileId), eq(files.workspaceId, message.workspaceId));
}

/** The skills that a turn is offered: one may be both the agent's own and every agent's. */
export function distinctSkills(offered: readonly TurnSkill[] | null): TurnSkill[] {
  return [...new Map((offered ?? []).map((skill) => [skill.id, skill])).values()];
}
