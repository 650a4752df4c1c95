/** What users have approved for good. */
import { clientServers, functionApprovals, type Queryable, toolApprovals } from "@parley/db";
import type { Stake } from "@parley/schema";
import { and, eq, inArray, or, sql } from "drizzle-orm";
import type { CalledTool } from "./called.ts";

/** The ids of those functions that the user has always approved. */
export async function findApproved(
  db: Queryable,
  userId: number | null,
  functionIds: readonly number[],
): Promise<Set<number>> {
  if (userId === null || functionIds.length === 0) return new Set();
  const { functionId } = functionApprovals;
  const rows = await db
    .select({ functionId })
    .from(functionApprovals)
    .where(and(eq(functionApprovals.userId, userId), inArray(functionId, [...functionIds])));
  return new Set(rows.map((row) => row.functionId));
}

/** Who approves a call of a tool, and what approves it for good. */
export interface ToolApprovalKey {
  readonly toolId: number;
  readonly toolName: string;
  readonly agentSid: string;
}

/**
 * What a user approves for good with a call of this stake; undefined where each call is asked for, or the
 * server itself keeps what was approved.
 */
export function approvalKeyOf(
  { server, toolName }: CalledTool,
  { stake, agentSid }: { stake: Stake; agentSid: string },
): ToolApprovalKey | undefined {
  if (!("toolId" in server.approvals)) return undefined;
  const { toolId } = server.approvals;
  if (stake === "low") return { toolId, toolName, agentSid: "" };
  return stake === "medium" ? { toolId, toolName, agentSid } : undefined;
}

/** Whether the server of a tool, which is in a client, keeps that its calls need no further approval. */
export function isApprovedByServer({ server, toolName }: CalledTool): boolean {
  return "approved" in server.approvals && server.approvals.approved.includes(toolName);
}

/** Keeps that calls of a client's tool need no further approval, as long as its server is registered. */
export async function approveForServer(db: Queryable, tool: CalledTool): Promise<void> {
  const { approvals } = tool.server;
  if (!("clientServerId" in approvals) || isApprovedByServer(tool)) return;
  const added = JSON.stringify([tool.toolName]);
  await db
    .update(clientServers)
    .set({ approvedTools: sql`${clientServers.approvedTools} || ${added}::jsonb` })
    .where(eq(clientServers.id, approvals.clientServerId));
}

/** Those of the keys that the user has approved for good, as texts of `keyText`. */
export async function findApprovedTools(
  db: Queryable,
  userId: number | null,
  keys: readonly ToolApprovalKey[],
): Promise<Set<string>> {
  if (userId === null || keys.length === 0) return new Set();
  const { toolId, toolName, agentSid } = toolApprovals;
  const rows = await db
    .select({ toolId, toolName, agentSid })
    .from(toolApprovals)
    .where(
      and(
        eq(toolApprovals.userId, userId),
        or(
          ...keys.map((key) =>
            and(eq(toolId, key.toolId), eq(toolName, key.toolName), eq(agentSid, key.agentSid)),
          ),
        ),
      ),
    );
  return new Set(rows.map(keyText));
}

/** A key as a text. */
export function keyText({ toolId, toolName, agentSid }: ToolApprovalKey): string {
  return JSON.stringify([toolId, toolName, agentSid]);
}
