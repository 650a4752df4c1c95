/** What users have approved permanently. */
import { clientServers, functionApprovals, type Queryable, toolApprovals } from "@parley/db";
import type { Stake } from "@parley/schema";
import { and, eq, inArray, or, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { MessageRow } from "../data-access/rows.ts";
import { readAgent } from "./calling-turn.ts";
import type { CalledTool, PreparedCall } from "./prepared-calls.ts";

/** Which of the calls of an agent the user has approved permanently. */
export async function readApprovals(
  db: Queryable,
  userId: number | null,
  { calls, agentSid }: { calls: readonly PreparedCall[]; agentSid: string },
): Promise<(call: PreparedCall) => boolean> {
  const keyOf = ({ tool, stake }: PreparedCall): ToolApprovalKey | undefined =>
    tool && approvalKeyOf(tool, { stake, agentSid });
  const functionIds = calls.flatMap(({ tool, sandboxFunction }) =>
    tool === undefined ? sandboxFunction.id : [],
  );
  const functions = await findApprovedFunctions(db, userId, functionIds);
  const keys = calls.flatMap((call) => keyOf(call) ?? []);
  const tools = await findApprovedTools(db, userId, keys);
  return (call) => {
    if (call.tool === undefined) return functions.has(call.sandboxFunction.id);
    if (isApprovedByServer(call.tool)) return true;
    const key = keyOf(call);
    return key !== undefined && tools.has(keyText(key));
  };
}

/** Keeps that calls of this kind need no further approval of the user. */
export async function approveForGood(
  { now }: Pick<Process, "now">,
  db: Queryable,
  {
    message,
    call: { tool, sandboxFunction, stake },
    userId,
  }: { readonly message: MessageRow; readonly call: PreparedCall; readonly userId: number },
): Promise<void> {
  const createdAt = now();
  if (tool === undefined) {
    const row = { userId, functionId: sandboxFunction.id, createdAt };
    await db.insert(functionApprovals).values(row).onConflictDoNothing();
    return;
  }
  await approveForServer(db, tool);
  const { sid: agentSid } = await readAgent(db, message);
  const key = approvalKeyOf(tool, { stake, agentSid });
  if (key === undefined) return;
  await db
    .insert(toolApprovals)
    .values({ ...key, userId, createdAt })
    .onConflictDoNothing();
}

/** The ids of those functions that the user has always approved. */
async function findApprovedFunctions(
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

/** Who approves a call of a tool, and what approves it permanently. */
interface ToolApprovalKey {
  readonly toolId: number;
  readonly toolName: string;
  readonly agentSid: string;
}

/**
 * What a user approves permanently with a call of this stake; undefined if each call is asked for, or the
 * server itself keeps what was approved.
 */
function approvalKeyOf(
  { server, toolName }: CalledTool,
  { stake, agentSid }: { stake: Stake; agentSid: string },
): ToolApprovalKey | undefined {
  if (!("toolId" in server.approvals)) return undefined;
  const { toolId } = server.approvals;
  if (stake === "low") return { toolId, toolName, agentSid: "" };
  return stake === "medium" ? { toolId, toolName, agentSid } : undefined;
}

/** Whether the server of a tool, which is in a client, keeps that its calls need no further approval. */
function isApprovedByServer({ server, toolName }: CalledTool): boolean {
  return "approved" in server.approvals && server.approvals.approved.includes(toolName);
}

/** Keeps that calls of a client's tool need no further approval, as long as its server is registered. */
async function approveForServer(db: Queryable, tool: CalledTool): Promise<void> {
  const { approvals } = tool.server;
  if (!("clientServerId" in approvals) || isApprovedByServer(tool)) return;
  const added = JSON.stringify([tool.toolName]);
  await db
    .update(clientServers)
    .set({ approvedTools: sql`${clientServers.approvedTools} || ${added}::jsonb` })
    .where(eq(clientServers.id, approvals.clientServerId));
}

/** Those of the keys that the user has approved permanently, as texts of `keyText`. */
async function findApprovedTools(
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
function keyText({ toolId, toolName, agentSid }: ToolApprovalKey): string {
  return JSON.stringify([toolId, toolName, agentSid]);
}
