import { skills } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import type { Core } from "./context.ts";
import type { Turn } from "./runs/load-turns.ts";

/** A skill that a turn's model is told of; its instructions are read when the model asks. */
export interface TurnSkill {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}

const MAX_SKILLS = 100;
const MAX_DESCRIPTION_CHARACTERS = 2048;

/**
 * Part of the statement that claims, with the agent `a` and the conversation `c`: its `TurnSkill`s.
 * What every agent has and is for some spaces is left out of conversations that stand elsewhere,
 * for who reads those may not reach these spaces.
 */
export const skillsOfTurn = sql`
  select json_agg(json_build_object(
    'id', id, 'name', name,
    'description', left(agent_facing_description, ${sql.raw(String(MAX_DESCRIPTION_CHARACTERS))})
  ) order by position, name, sid)
  from (
    select s.id, s.sid, s.name, s.agent_facing_description, own.position
    from agent_skills own join skills s on s.id = own.skill_id
    where own.agent_id = a.id and s.status = 'active'
    union all
    select s.id, s.sid, s.name, s.agent_facing_description, null
    from skills s
    where s.workspace_id = a.workspace_id
      and s.availability = 'users_and_agents' and s.status = 'active'
      and (
        jsonb_array_length(s.requested_space_ids || s.manually_requested_space_ids) = 0
        or exists (
          select 1 from spaces
          where spaces.workspace_id = s.workspace_id 
            and (s.requested_space_ids || s.manually_requested_space_ids) ? spaces.sid
            and (spaces.id = c.space_id or not spaces.is_restricted)
        )
      )
    order by position, name, sid
    limit ${sql.raw(String(MAX_SKILLS))}
  ) offered`;

/** Reads the instructions of a turn's skill. Null when the skill is no longer active. */
export async function loadSkillInstructions(
  { database }: Core,
  { message }: Pick<Turn, "message">,
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
      ),
    );
  return row === undefined ? null : (row.instructions ?? "");
}
