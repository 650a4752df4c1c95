import { hasRow } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { WorkspaceRow } from "../data-access/rows.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { MAX_DEATHS } from "../runs/deaths.ts";
import type { RunHolder } from "../runs/local-workers.ts";
import type { TurnInput } from "../turns/load-turns.ts";
import { functionsOfTurn, type TurnFunction } from "../turns/turn-functions.ts";
import { newTurnInput } from "../turns/new-turns.ts";
import { skillsOfTurn, type TurnSkill } from "../turns/turn-skills.ts";
import { serversOfTurn, type TurnServer } from "../turns/turn-tools.ts";
import { type Billing, billingOf } from "../usage/turn-billing.ts";
import type { NewMessages, NewTurn } from "./new-messages.ts";

/** Part of a statement: inserts the logs of the parameter `logs`. */
export const logInsert = sql`
  insert into logs (id, last_seq, fence)
  select id, last_seq, coalesce(fence, 0)
  from json_to_recordset(${sql.placeholder("logs")}::json) as l(id text, last_seq int, fence int)`;

const maxAttempts = sql.raw(String(MAX_DEATHS));

const given = sql`
  json_to_recordset(${sql.placeholder("runs")}::json) as r(workspace_id bigint, log_id text,
    subject_id bigint, ordering_key text, created_at bigint, request_id text, traceparent text, depth int,
    worker_id text, lease_ms int, agent_id bigint, space_id bigint, api_key_id bigint, user_id bigint,
    reached_space_ids bigint[], parent_log_id text)`;

const runInsertAs = (status: SQL) => sql`
  insert into runs (kind, workspace_id, log_id, subject_id, ordering_key, status, priority, attempt,
    max_attempts, run_after, created_at, request_id, traceparent, depth, api_key_id, user_id, reached_space_ids,
    parent_log_id, worker_id, lease_until, started_at)
  select 'agent_turn', workspace_id, log_id, subject_id, ordering_key, ${status},
    0, case when worker_id is null then 0 else 1 end, ${maxAttempts}, now(), created_at, request_id,
    traceparent, coalesce(depth, (select asking.depth from runs asking where asking.log_id = r.parent_log_id), 0),
    api_key_id, user_id,
    coalesce(reached_space_ids, (select asking.reached_space_ids from runs asking where asking.log_id = r.parent_log_id)),
    parent_log_id, worker_id, now() + lease_ms * interval '1 millisecond',
    case when worker_id is not null then created_at end
  from ${given}`;

/** Part of a statement: inserts the runs of the parameter `runs`, which nobody holds. */
// A run after an earlier one of its ordering key is queued: claims do not look at it.
export const runInsert = runInsertAs(sql`
  case when ${hasRow(sql`
    from runs earlier
    where earlier.ordering_key = r.ordering_key and earlier.status <> 'finished'`)}
  then 'queued' else 'waiting' end`);

/**
 * Part of a statement: inserts the runs of the parameter `runs` into new conversations, which have no
 * earlier ones. Those with a holder are claimed already, in their first attempt.
 */
export const firstRunInsert = runInsertAs(
  sql`case when worker_id is null then 'waiting' else 'running' end`,
);

/** A run that is held from the beginning, and what of its turn only the database knows. */
export interface HeldTurn {
  readonly runId: number;
  readonly logId: string;
  readonly skills: TurnSkill[] | null;
  readonly functions: TurnFunction[] | null;
  readonly servers: TurnServer[] | null;
  readonly billing: Billing;
}

/** The `HeldTurn`s of a statement whose part `run` is a `firstRunInsert`. */
export const selectHeldTurns = sql`
  select run.id as "runId", run.log_id as "logId", (${skillsOfTurn}) as skills,
    (${functionsOfTurn}) as functions, (${serversOfTurn}) as servers,
    (${billingOf(sql`r.workspace_id`)}) as billing
  from ${given}
  join run on run.log_id = r.log_id
  left join agents a on a.id = r.agent_id
  cross join lateral (select null::bigint as id, r.space_id) c
  where r.worker_id is not null`;

/** The logs of turns, as the parameter `logs` has them. */
export function newLogs(turns: readonly NewTurn[], holder?: RunHolder) {
  return turns.map(({ message }) => ({
    id: message.sid,
    last_seq: 0,
    fence: holder === undefined ? undefined : 1,
  }));
}

/** The runs of turns, as the parameter `runs` has them. */
export function newRuns(turns: readonly NewTurn[], holder?: RunHolder, spaceId?: number | null) {
  return turns.map(({ message, agent, origin, payer, reachedSpaceIds, parentLogId }) => ({
    workspace_id: message.workspaceId,
    log_id: message.sid,
    subject_id: message.id,
    // Turns of one agent in one conversation are ordered.
    ordering_key: `${message.conversationId}/${agent.sid}`,
    created_at: message.createdAt,
    request_id: origin?.requestId,
    traceparent: origin?.traceparent,
    // Of a task, that of the run that asks, as the spaces that it reaches are.
    depth: parentLogId === undefined ? origin?.depth : undefined,
    api_key_id: payer.apiKeyId,
    user_id: payer.userId,
    reached_space_ids: reachedSpaceIds,
    parent_log_id: parentLogId,
    ...(holder !== undefined && {
      worker_id: holder.workerId,
      lease_ms: holder.leaseMs,
      agent_id: agent.id,
      space_id: spaceId,
    }),
  }));
}

/** A run that is held from the beginning, as a claim would give it. */
export function toHeldRun(
  workspace: Pick<WorkspaceRow, "id" | "sid">,
  conversation: TurnInput["conversation"],
  { messages, turns }: Pick<NewMessages, "messages" | "turns">,
  { runId, logId, skills, functions, servers, billing }: HeldTurn,
): ClaimedRun<TurnInput> {
  const turn = turns.find(({ message }) => message.sid === logId);
  if (turn === undefined) throw new Error(`${logId} is not one of the new turns`);
  const { message, agent, origin, payer } = turn;
  // An agent that is asked does not see the answers of the others.
  const asked = messages.filter(({ status }) => status !== "created");
  return {
    id: runId,
    kind: "agent_turn",
    workspaceId: workspace.id,
    workspaceSid: workspace.sid,
    requestId: origin?.requestId ?? null,
    traceparent: origin?.traceparent ?? null,
    ...payer,
    logId,
    subjectId: message.id,
    attempt: 1,
    lastSeq: 0,
    exhausted: false,
    subject: newTurnInput({
      conversation,
      message,
      agent,
      asked,
      skills,
      functions,
      servers,
      billing,
    }),
  };
}
