import { actions, agents, messages, tools, users } from "@parley/db";
import type { BlockedAction, ToolApproval } from "@parley/schema";
import { and, asc, eq } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import type { ActionRow, AgentRow } from "../data-access/rows.ts";
import { callStatus } from "./function-calls.ts";

/** The server that clients see as that of sandbox functions. */
const FUNCTIONS = "sandbox_functions";
/** Of functions, only calls of those that require approval wait. */
const FUNCTION_STAKE = "high";

/** Calls in a list. */
const MAX_LISTED = 1000;

interface BlockedCall {
  readonly action: ActionRow;
  /** Name of the tool whose server is called; null for a function. */
  readonly serverName: string | null;
  readonly agent: Pick<AgentRow, "sid" | "name">;
  readonly conversationId: string;
  readonly messageId: string;
  /** Id of the user whose message is answered. */
  readonly userId: string | null;
}

/** Calls that wait for approval as the wire announces them, those of one step in order. */
export function renderApprovals(calls: readonly BlockedCall[]): ToolApproval[] {
  return calls.map((call, index) => {
    const { action, serverName, agent, conversationId, messageId, userId } = call;
    const next = calls[index + 1]?.action;
    return {
      type: "tool_approve_execution",
      created: action.createdAt,
      configurationId: agent.sid,
      messageId,
      conversationId,
      actionId: action.sid,
      inputs: action.params,
      stake: action.stake ?? FUNCTION_STAKE,
      metadata: {
        agentName: agent.name,
        mcpServerName: serverName ?? FUNCTIONS,
        toolName: action.toolName,
      },
      ...(userId !== null && { userId }),
      isLastBlockingEventForStep: next?.messageId !== action.messageId || next.step !== action.step,
    };
  });
}

/** Lists the tool calls of a conversation that wait for approval, the oldest first. */
export async function listBlockedActions(
  context: Context,
  input: { cId: string },
): Promise<{ blockedActions: BlockedAction[] }> {
  const { db } = context.database;
  const conversation = await requireConversation(db, context, input.cId);
  const asked = alias(messages, "asked");
  const rows = await db
    .select({
      action: actions,
      serverName: tools.name,
      agent: { sid: agents.sid, name: agents.name },
      messageId: messages.sid,
      userId: users.sid,
    })
    .from(messages)
    .innerJoin(actions, eq(actions.messageId, messages.id))
    .innerJoin(agents, eq(agents.id, messages.agentId))
    .leftJoin(
      asked,
      and(
        eq(asked.sid, messages.parentMessageId),
        eq(asked.conversationId, messages.conversationId),
      ),
    )
    .leftJoin(users, eq(users.id, asked.userId))
    .leftJoin(tools, eq(tools.sid, actions.mcpServerId))
    .where(
      and(
        eq(messages.conversationId, conversation.id),
        eq(messages.status, "created"),
        eq(actions.status, callStatus.blocked),
      ),
    )
    .orderBy(asc(messages.id), asc(actions.step), asc(actions.position))
    .limit(MAX_LISTED);
  const calls = rows.map((row) => ({ ...row, conversationId: conversation.sid }));
  const status = callStatus.blocked;
  return { blockedActions: renderApprovals(calls).map((approval) => ({ ...approval, status })) };
}
