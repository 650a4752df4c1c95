// The only place that decides who reaches a skill, for lists, reads, changes, agents and their turns
// (docs/decisions/who-sees-and-changes-skills.md).
import { hasRow, skills, spaces } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../context.ts";
import { reachesSpace } from "./space-reach.ts";

/**
 * The condition that each space of the row of `skills` is open, or fulfils `isReached`, a condition on the
 * row of `spaces` that is never null.
 */
function reachesItsSpaces(isReached: SQL | undefined): SQL {
  const spaceIds = sql`(${skills.requestedSpaceIds} || ${skills.manuallyRequestedSpaceIds})`;
  return sql`(jsonb_array_length(${spaceIds}) = 0 or not ${hasRow(sql`
    from ${spaces}
    where ${spaces.workspaceId} = ${skills.workspaceId} and ${spaces.isRestricted}
      and ${spaceIds} ? ${spaces.sid} and not (${isReached})`)})`;
}

/** The condition that a caller reaches the skill of the row. Operators reach all skills. */
export function reachesSkill(caller: Caller): SQL | undefined {
  if (caller.kind === "operator") return undefined;
  return reachesItsSpaces(reachesSpace(caller));
}

/**
 * The condition that a turn reaches the skill of the row, in a conversation in the space with this number,
 * or in none. Readers of the conversation then reach the skill too.
 */
export function turnReachesSkill(conversationSpaceId: SQL | number | null): SQL {
  return reachesItsSpaces(sql`${spaces.id} is not distinct from ${conversationSpaceId}::bigint`);
}
