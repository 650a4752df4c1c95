import { agentFavorites, agents } from "@parley/db";
import { and, eq, type SQL } from "drizzle-orm";
import type { Context } from "../context.ts";

/** The condition that a row of `agent_favorites` is of the caller's user and the row of `agents`. */
export function isFavoriteOf({ caller }: Context): SQL | undefined {
  return and(eq(agentFavorites.userId, caller.user.id), eq(agentFavorites.agentSid, agents.sid));
}
