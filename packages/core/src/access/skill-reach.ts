// The only place that decides who reaches a skill, for lists, reads, changes, agents and their turns
// (docs/decisions/who-sees-and-changes-skills.md).
import { hasRow, skillDefinitions, skills, spaces } from "@parley/db";
import { type SQL, sql, type SQLWrapper } from "drizzle-orm";
import type { Caller } from "../context.ts";
import { reachesSpace } from "./space-reach.ts";

/** The row of `skills`: its workspace, and the ids of its spaces. */
const ofSkill = {
  workspaceId: skills.workspaceId,
  spaceIds: sql`(${skills.requestedSpaceIds} || ${skills.manuallyRequestedSpaceIds})`,
};

/**
 * The condition that each of these spaces is open, or fulfils `isReached`, a condition on the row of `spaces`
 * that is never null.
 */
function reachesSpaces(
  { workspaceId, spaceIds }: { workspaceId: SQLWrapper; spaceIds: SQLWrapper },
  isReached: SQL | undefined,
): SQL {
  return sql`(jsonb_array_length(${spaceIds}) = 0 or not ${hasRow(sql`
    from ${spaces}
    where ${spaces.workspaceId} = ${workspaceId} and ${spaces.isRestricted}
      and ${spaceIds} ? ${spaces.sid} and not (${isReached})`)})`;
}

/** The condition that a caller reaches the skill of the row. Operators reach all skills. */
export function reachesSkill(caller: Caller): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  return reachesSpaces(ofSkill, reachesSpace(caller));
}

/**
 * The condition that a caller reaches the spaces that a skill named in the version of the row of
 * `skill_definitions`, which may be others than it names now.
 */
export function reachesSkillVersion(caller: Caller, workspaceId: number): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  const { spaceIds } = skillDefinitions;
  return reachesSpaces({ workspaceId: sql`${workspaceId}`, spaceIds }, reachesSpace(caller));
}

/**
 * The condition that a turn reaches the skill of the row, in a conversation in the space with this number,
 * or in none. Readers of the conversation then reach the skill too.
 */
export function turnReachesSkill(conversationSpaceId: SQL | number | null): SQL {
  return reachesSpaces(
    ofSkill,
    sql`${spaces.id} is not distinct from ${conversationSpaceId}::bigint`,
  );
}
