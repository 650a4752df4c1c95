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
  tools,
} from "@parley/db";
import type { ListedRun, ListRuns, RunPage } from "@parley/schema";
import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { reachesConversation } from "../access/conversation-reach.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { placeOf, wasCreatedIn } from "./creation-order.ts";

/** Runs that a page looks at: few of them may be in it. */
const MAX_LOOKED_AT = 10_000;

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

/** Lists the runs of a workspace that the caller reaches, the newest first, a page at a time. */
export async function listRuns(context: RequestContext, input: ListRuns): Promise<RunPage> {
  const { db } = context.database;
  const { limit } = input;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const ofPlace = and(eq(runs.workspaceId, workspace.id), wasCreatedIn(runs, input));
  // Filters may leave few of many, so the search for a page is bounded.
  const looked = selectRuns(db, context, ofPlace).as("looked");
  const { agentId, functionId } = input;
  const rows = await db
    .select()
    .from(looked)
    .where(
      and(
        eq(looked.isReached, true),
        input.kind && eq(looked.kind, input.kind),
        input.status && eq(looked.status, input.status),
        agentId === undefined ? undefined : eq(looked.agentId, agentId),
        functionId === undefined
          ? undefined
          : and(
              eq(looked.kind, "invocation"),
              or(eq(looked.functionId, functionId), eq(looked.slug, functionId)),
            ),
      ),
    )
    .orderBy(desc(looked.createdAt), desc(looked.number))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const found = page.map(renderRun);
  const end = page.at(-1);
  if (rows.length > limit) return { runs: found, hasMore: true, lastValue: placeOf(end) };
  const [last] = await db
    .select({ createdAt: runs.createdAt, number: runs.id })
    .from(runs)
    .where(ofPlace)
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(1)
    .offset(MAX_LOOKED_AT - 1);
  return { runs: found, hasMore: last !== undefined, lastValue: placeOf(last ?? end) };
}

/** The newest of these runs, with what a list shows of each and whether the caller reaches it. */
function selectRuns(db: Queryable, context: RequestContext, where: SQL | undefined) {
  const { caller } = context;
  // Keys of builders reach what keys have invoked. What belongs to a conversation is as reached as that.
  const reached =
    caller.kind === "operator"
      ? sql<boolean>`true`
      : sql<boolean>`(${or(
          and(isNull(messages.sid), isNotNull(invocations.apiKeyId)),
          reachesConversation({ ...context, caller }),
        )}) is true`;
  return (
    db
      .select({
        number: sql<number>`${runs.id}`.mapWith(runs.id).as("number"),
        id: runs.logId,
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
        isReached: reached.as("is_reached"),
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
      .orderBy(desc(runs.createdAt), desc(runs.id))
      .limit(MAX_LOOKED_AT)
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

function renderRun(row: LookedRun): ListedRun {
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
