/** Definitions that are tried without being saved: versions that are never current, and stay as long as their answers. */
import { agents, agentFunctions, agentSkills, agentTools, type Queryable } from "@parley/db";
import type { StoredResponseFormat, TryAgent } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { type BriefAgent, findAgentVersions } from "./agents.ts";
import { DRAFT, insertAgent, requireAgent } from "./write-agents.ts";

interface Drafted {
  readonly draft: NonNullable<TryAgent["draft"]>;
  readonly responseFormat: StoredResponseFormat | undefined;
  /** The agent that it changes. */
  readonly agentId: string | undefined;
}

/**
 * Writes a draft, which mentions do not resolve to. Its agent is the one that it changes, whose budgets so apply, or a new
 * one that nobody finds. Throws as `createAgent` does, and `agent_not_found`.
 */
export async function insertDraft(
  context: Context,
  { draft, responseFormat, agentId }: Drafted,
): Promise<BriefAgent> {
  return inTransaction(context, async ({ db }) => {
    const { workspace } = context.caller;
    const base = agentId === undefined ? undefined : await requireAgent(db, workspace.id, agentId);
    const version = base === undefined ? -1 : (await findLowest(db, base)) - 1;
    const { agentConfiguration } = await insertAgent(context, db, {
      workspace,
      draft: { ...draft, responseFormat },
      ...(base !== undefined && { sid: base.sid }),
      tried: { version, fromId: base?.id },
    });
    const { id } = agentConfiguration;
    return (await findAgentVersions(db, workspace.id, [id])).get(id)!;
  });
}

/** The lowest version of a locked agent, drafts among them; at most 0. */
async function findLowest(
  db: Queryable,
  { workspaceId, sid }: { readonly workspaceId: number; readonly sid: string },
): Promise<number> {
  const [row] = await db
    .select({ version: sql<number>`least(min(${agents.version}), 0)` })
    .from(agents)
    .where(and(eq(agents.workspaceId, workspaceId), eq(agents.sid, sid)));
  return row?.version ?? 0;
}

/** Deletes a draft that nothing was asked of. */
export async function deleteDraft(
  context: Context,
  { id, workspaceId }: Pick<BriefAgent, "id" | "workspaceId">,
): Promise<void> {
  const isDraft = and(eq(agents.workspaceId, workspaceId), eq(agents.status, DRAFT));
  await inTransaction(context, async ({ db }) => {
    for (const parts of [agentFunctions, agentSkills, agentTools]) {
      // oxlint-disable-next-line no-await-in-loop -- a transaction has one connection
      await db.delete(parts).where(eq(parts.agentId, id));
    }
    await db.delete(agents).where(and(isDraft, eq(agents.id, id)));
  });
}
