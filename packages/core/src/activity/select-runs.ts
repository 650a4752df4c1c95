import {
  actions,
  agents,
  conversations,
  conversationSummaries,
  hasRow,
  invocations,
  messages,
  type Queryable,
  runs,
  sandboxFunctions,
  spaces,
  statement,
  tools,
} from "@parley/db";
import type { ListedRun } from "@parley/schema";
import { and, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import { reachesConversation } from "../access/conversation-reach.ts";
import { statementForCallers } from "../access/caller-statement.ts";
import { belongsTo, type Reaching } from "../access/ownership.ts";
import { reachesSpace } from "../access/space-reach.ts";
import type { Caller } from "../context.ts";
import { waitsForPerson } from "../data-access/person-calls.ts";
import { selectAs } from "../data-access/row-json.ts";

/** Runs that a page looks at: few of them may be in it. */
export const MAX_LOOKED_AT = 10_000;

export const newestFirst = sql`${runs.createdAt} desc, ${runs.id} desc`;

/** The condition that lists show the run: deliveries, firings, events of triggers and the like are listed with what they belong to. */
export const isListedRun = sql`${runs.kind} not in ('delivery', 'firing', 'trigger_event', 'trace_export', 'division', 'embedding', 'web_refresh')`;

const isTurn = eq(runs.kind, "agent_turn");
const isCompaction = eq(runs.kind, "compaction");
const isOfTool = or(isNotNull(sandboxFunctions.toolId), isNotNull(sandboxFunctions.clientUserId));
const kind = sql`
  case when ${isTurn} then 'turn' when ${isCompaction} then 'compaction' when ${isOfTool} then 'tool_call' else 'invocation' end`;

// What ended before runs had an outcome has one in its message or invocation.
const outcome = sql`coalesce(${runs.outcome}, case
  when ${isTurn} then case ${messages.status} when 'failed' then 'errored' else ${messages.status} end
  when ${invocations.error} ->> 'code' = 'cancelled' then 'cancelled'
  else ${invocations.status}
end)`;
const isBlocked = hasRow(sql`
  from ${actions} held where held.message_id = ${runs.subjectId} and ${waitsForPerson(sql`held.status`)}`);
const status = sql`case ${runs.status}
  when 'finished' then ${outcome}
  when 'queued' then 'waiting'
  when 'suspended' then case when ${isTurn} and ${isBlocked} then 'blocked' else 'suspended' end
  else ${runs.status}
end`;
const ofSubject = sql`case when ${isTurn} then ${messages.finishedAt} else ${invocations.finishedAt} end`;
const endedAt = sql`
  case when ${runs.status} = 'finished' then coalesce(${runs.finishedAt}, ${ofSubject})::float8 end`;

// Its keys are those of `LookedRun`.
const shown = {
  number: runs.id,
  id: runs.logId,
  workspaceId: runs.workspaceId,
  kind,
  status,
  functionId: sandboxFunctions.sid,
  slug: sandboxFunctions.slug,
  toolId: tools.sid,
  toolName: tools.name,
  agentId: agents.sid,
  agentName: agents.name,
  conversationId: conversations.sid,
  messageId: messages.sid,
  createdAt: runs.createdAt,
  startedAt: runs.startedAt,
  endedAt,
  usage: sql`case when ${runs.inputTokens} is not null then json_build_object(
    'inputTokens', ${runs.inputTokens}, 'outputTokens', coalesce(${runs.outputTokens}, 0),
    'cachedInputTokens', coalesce(${runs.cachedInputTokens}, 0),
    'cacheWriteTokens', coalesce(${runs.cacheWriteTokens}, 0),
    'reasoningTokens', coalesce(${runs.reasoningTokens}, 0)) end`,
  attempts: runs.attempt,
  error: sql`case when ${isTurn} then ${messages.error} when ${isCompaction} then ${conversationSummaries.error}
    else ${invocations.error} end`,
};

/**
 * Selects the first of these runs, by default the newest, with what a list shows of each and whether the caller
 * reaches it; all are reached by operators, which are no `caller`.
 */
export function selectRuns(
  caller: Reaching | undefined,
  where: SQL | undefined,
  order: SQL = newestFirst,
): SQL {
  const isReached = caller === undefined ? sql`true` : sql`(${reachesRun(caller)}) is true`;
  return sql`
    select ${selectAs({ ...shown, isReached })}
    from ${runs}
    left join ${invocations}
      on ${runs.kind} = 'invocation' and ${invocations.id} = ${runs.subjectId}
    left join ${sandboxFunctions} on ${sandboxFunctions.id} = ${runs.functionId}
    left join ${tools} on ${tools.id} = ${sandboxFunctions.toolId}
    left join ${actions} on ${actions.id} = ${invocations.actionId}
    left join ${conversationSummaries}
      on ${runs.kind} = 'compaction' and ${conversationSummaries.id} = ${runs.subjectId}
    -- The message of a turn, of the call that invoked, or after whose end the conversation was summarised.
    left join ${messages}
      on ${messages.sid} = coalesce(${actions.logId}, ${conversationSummaries.answerId}, ${runs.logId})
    left join ${agents} on ${agents.id} = ${messages.agentId}
    left join ${conversations} on ${conversations.id} = ${messages.conversationId}
    where ${and(isListedRun, where)} order by ${order} limit ${sql.raw(String(MAX_LOOKED_AT))}`;
}

/** Runs a statement for a caller, with a value for each of its placeholders. */
type RunsStatement<Values> = (
  db: Queryable,
  caller: Caller,
  values: Values,
) => Promise<LookedRun[]>;

/** A named statement over `selectRuns`, for the keys of workspaces and for operators. */
export function runsStatement<Values extends Record<string, unknown>>(
  name: string,
  build: (caller: Reaching | undefined) => SQL,
): RunsStatement<Values> {
  const forKeys = statementForCallers<Values, LookedRun>(name, build);
  const forOperators = statement<Values, LookedRun>(`${name}_operator`, build(undefined));
  return async (db, caller, values) =>
    caller.kind === "operator" ? forOperators.execute(db, values) : forKeys(db, caller, values);
}

/**
 * The condition that the caller reaches the row's run. What belongs to a conversation is as reached as that;
 * what a key has invoked, as an invocation is; and a call of a tool needs reach of the tool's space too.
 */
function reachesRun(caller: Reaching): SQL | undefined {
  const ofSpace = and(eq(spaces.id, tools.spaceId), reachesSpace(caller));
  return or(
    and(
      isNull(messages.sid),
      isNotNull(invocations.apiKeyId),
      belongsTo(caller, invocations),
      or(isNull(sandboxFunctions.toolId), hasRow(sql`from ${spaces} where ${ofSpace}`)),
    ),
    reachesConversation({ caller }),
  );
}

/** A row of `selectRuns`. */
export type LookedRun = Omit<ListedRun, "function" | "tool" | "agent" | "durationMs"> & {
  readonly number: number;
  readonly workspaceId: number;
  readonly isReached: boolean;
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
    usage: row.usage,
    attempts: row.attempts,
    error: error && { code: error.code, message: error.message },
  };
}
