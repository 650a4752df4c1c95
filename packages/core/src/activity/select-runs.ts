import {
  actions,
  agents,
  conversations,
  hasRow,
  invocations,
  messages,
  type Queryable,
  runs,
  sandboxFunctions,
  spaces,
  tools,
} from "@parley/db";
import type { ListedRun } from "@parley/schema";
import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { reachesConversation } from "../access/conversation-reach.ts";
import { belongsTo } from "../access/ownership.ts";
import { reachesSpace } from "../access/space-reach.ts";
import type { RequestContext, WorkspaceCaller } from "../context.ts";

/** Runs that a page looks at: few of them may be in it. */
export const MAX_LOOKED_AT = 10_000;

const isTurn = eq(runs.kind, "agent_turn");
const isOfTool = or(isNotNull(sandboxFunctions.toolId), isNotNull(sandboxFunctions.clientUserId));
const kind = sql<ListedRun["kind"]>`
  case when ${isTurn} then 'turn' when ${isOfTool} then 'tool_call' else 'invocation' end`;

// What ended before runs had an outcome has one in its message or invocation.
const outcome = sql`coalesce(${runs.outcome}, case
  when ${isTurn} then case ${messages.status} when 'failed' then 'errored' else ${messages.status} end
  when ${invocations.error} ->> 'code' = 'cancelled' then 'cancelled'
  else ${invocations.status}
end)`;
const waitsForPerson = hasRow(sql`
  from ${actions} held where held.message_id = ${runs.subjectId} and starts_with(held.status, 'blocked_')`);
const status = sql<ListedRun["status"]>`case ${runs.status}
  when 'finished' then ${outcome}
  when 'queued' then 'waiting'
  when 'suspended' then case when ${isTurn} and ${waitsForPerson} then 'blocked' else 'suspended' end
  else ${runs.status}
end`;
const ofSubject = sql`case when ${isTurn} then ${messages.finishedAt} else ${invocations.finishedAt} end`;
const endedAt = sql<number | null>`
  case when ${runs.status} = 'finished' then coalesce(${runs.finishedAt}, ${ofSubject})::float8 end`;

/**
 * The first of these runs, by default the newest, with what a list shows of each and whether the caller reaches
 * it.
 */
export function selectRuns(
  db: Queryable,
  context: RequestContext,
  where: SQL | undefined,
  order: readonly SQL[] = [desc(runs.createdAt), desc(runs.id)],
) {
  const { caller } = context;
  const reached =
    caller.kind === "operator" ? sql`true` : sql`(${reachesRun({ ...context, caller })}) is true`;
  return (
    db
      .select({
        number: sql<number>`${runs.id}`.mapWith(runs.id).as("number"),
        id: runs.logId,
        workspaceId: runs.workspaceId,
        kind: kind.as("listed_kind"),
        status: status.as("listed_status"),
        functionId: sql<string | null>`${sandboxFunctions.sid}`.as("function_sid"),
        slug: sandboxFunctions.slug,
        toolId: sql<string | null>`${tools.sid}`.as("tool_sid"),
        toolName: sql<string | null>`${tools.name}`.as("tool_name"),
        agentId: sql<string | null>`${agents.sid}`.as("agent_sid"),
        agentName: sql<string | null>`${agents.name}`.as("agent_name"),
        conversationId: sql<string | null>`${conversations.sid}`.as("conversation_sid"),
        messageId: sql<string | null>`${messages.sid}`.as("message_sid"),
        createdAt: runs.createdAt,
        startedAt: runs.startedAt,
        endedAt: endedAt.as("ended_at"),
        attempts: runs.attempt,
        error: sql<ListedRun["error"]>`case when ${isTurn} then ${messages.error}
          else ${invocations.error} end`.as("run_error"),
        isReached: sql<boolean>`${reached}`.as("is_reached"),
      })
      .from(runs)
      .leftJoin(invocations, and(eq(runs.kind, "invocation"), eq(invocations.id, runs.subjectId)))
      .leftJoin(sandboxFunctions, eq(sandboxFunctions.id, runs.functionId))
      .leftJoin(tools, eq(tools.id, sandboxFunctions.toolId))
      .leftJoin(actions, eq(actions.id, invocations.actionId))
      // The message of a turn, or of the call that invoked.
      .leftJoin(messages, eq(messages.sid, sql`coalesce(${actions.logId}, ${runs.logId})`))
      .leftJoin(agents, eq(agents.id, messages.agentId))
      .leftJoin(conversations, eq(conversations.id, messages.conversationId))
      .where(where)
      .orderBy(...order)
      .limit(MAX_LOOKED_AT)
  );
}

/**
 * The condition that the caller reaches the row's run. What belongs to a conversation is as reached as that;
 * what a key has invoked, as an invocation is; and a call of a tool needs reach of the tool's space too.
 */
function reachesRun(context: RequestContext<WorkspaceCaller>): SQL | undefined {
  const { caller } = context;
  const ofSpace = and(eq(spaces.id, tools.spaceId), reachesSpace(caller));
  return or(
    and(
      isNull(messages.sid),
      isNotNull(invocations.apiKeyId),
      belongsTo(caller, invocations),
      or(isNull(sandboxFunctions.toolId), hasRow(sql`from ${spaces} where ${ofSpace}`)),
    ),
    reachesConversation(context),
  );
}

type LookedRun = Omit<ListedRun, "function" | "tool" | "agent" | "durationMs"> & {
  readonly functionId: string | null;
  readonly slug: string | null;
  readonly toolId: string | null;
  readonly toolName: string | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
};

/** A run as lists show it. */
export function renderRun(row: LookedRun): ListedRun {
  const { id, status: state, startedAt, endedAt: end, error } = row;
  const { functionId, slug, toolId, toolName, agentId, agentName } = row;
  const isInvocation = row.kind === "invocation" && functionId !== null && slug !== null;
  return {
    id,
    kind: row.kind,
    status: state,
    function: isInvocation ? { sId: functionId, slug } : null,
    tool: toolId === null ? null : { sId: toolId, name: toolName ?? "" },
    agent: agentId === null ? null : { sId: agentId, name: agentName ?? "" },
    conversationId: row.conversationId,
    messageId: row.messageId,
    createdAt: row.createdAt,
    startedAt,
    endedAt: end,
    // The clock of the database starts most runs, and that of a process ends them.
    durationMs: startedAt === null || end === null ? null : Math.max(0, end - startedAt),
    attempts: row.attempts,
    error: error && { code: error.code, message: error.message },
  };
}
