import { agentFavorites } from "@parley/db";
import type { AgentConfiguration, SetFavorite } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { getAgent } from "./read-agents.ts";

/**
 * Marks an agent as a favourite of the caller's user, or no longer; again without harm. Throws
 * `agent_not_found`.
 */
export async function setFavorite(
  context: Context,
  { sId, userFavorite }: SetFavorite & { sId: string },
): Promise<{ agentConfiguration: AgentConfiguration }> {
  // An agent is never deleted, so it is still there when it is marked.
  const { agentConfiguration } = await getAgent(context, { sId });
  if (userFavorite === undefined) return { agentConfiguration };
  const marked = { userId: context.caller.user.id, agentSid: sId };
  await inTransaction(context, async ({ db }) => {
    if (userFavorite) {
      const row = { ...marked, createdAt: context.now() };
      await db.insert(agentFavorites).values(row).onConflictDoNothing();
      return;
    }
    const { userId, agentSid } = agentFavorites;
    await db.delete(agentFavorites).where(and(eq(userId, marked.userId), eq(agentSid, sId)));
  });
  return { agentConfiguration: { ...agentConfiguration, userFavorite } };
}
