import { statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { MAX_DEATHS } from "../runs/deaths.ts";
import type { RunServices } from "../runs/run-capacity.ts";

/** The answer whose end starts a compaction, and the model that summarises. */
export type NewCompaction = {
  readonly workspaceId: number;
  readonly conversationId: number;
  /** Of one that was asked for, the newest message that it replaces. */
  readonly answerId: string;
  /** Position of the answer. */
  readonly rank: number;
  /** The last position that its prompt's summary replaces; -1 without one. */
  readonly summarisedTo: number;
  readonly agentId: number;
  readonly providerId: string;
  readonly modelId: string;
  /** Who paid for the answer. */
  readonly apiKeyId: number | null;
  readonly userId: number | null;
  readonly requestId: string | null;
  readonly traceparent: string | null;
};

const value = (name: keyof NewCompaction | "sid" | "now", type: "text" | "bigint" | "int") =>
  sql`${sql.placeholder(name)}::${sql.raw(type)}`;

// Of two that start one, the second meets the unique index of pending summaries.
const startStatement = statement<
  NewCompaction & { readonly sid: string; readonly now: number },
  { logId: string }
>(
  "start_compaction",
  sql`
  with place as (
    select id from conversations
    where id = ${value("conversationId", "bigint")} and workspace_id = ${value("workspaceId", "bigint")}
  ),
  summary as (
    insert into conversation_summaries
      (sid, workspace_id, conversation_id, number, status, answer_id, agent_id, provider_id, model_id, created_at)
    select ${value("sid", "text")}, ${value("workspaceId", "bigint")}, place.id,
      coalesce((select max(number) from conversation_summaries o where o.conversation_id = place.id), 0) + 1,
      'pending', ${value("answerId", "text")}, ${value("agentId", "bigint")}, ${value("providerId", "text")},
      ${value("modelId", "text")}, ${value("now", "bigint")}
    from place
    where not exists (
      select 1 from conversation_summaries o
      where o.conversation_id = place.id and (
        o.held_until_rank > ${value("rank", "int")}
        or o.status = 'active' and o.to_rank > ${value("summarisedTo", "int")}
      )
    )
    on conflict do nothing
    returning id, sid, workspace_id, created_at
  ),
  log as (insert into logs (id, last_seq, fence) select sid, 0, 0 from summary)
  insert into runs (kind, workspace_id, log_id, subject_id, status, priority, attempt, max_attempts, run_after,
    created_at, request_id, traceparent, api_key_id, user_id)
  select 'compaction', workspace_id, sid, id, 'waiting', 0, 0, ${sql.raw(String(MAX_DEATHS))}, now(), created_at,
    ${value("requestId", "text")}, ${value("traceparent", "text")},
    ${value("apiKeyId", "bigint")}, ${value("userId", "bigint")}
  from summary returning log_id as "logId"`,
);

const lockStatement = statement<{ conversationId: number }>(
  "lock_summarised_conversation",
  sql`select 1 from conversations where id = ${value("conversationId", "bigint")} for key share`,
);

/**
 * Starts a run that summarises the oldest messages of a conversation, and gives its id. Starts none while one is
 * open or held off, if the prompt had an older summary than there is, or if too many wait in the workspace.
 */
export async function startCompaction(
  core: Process & RunServices,
  started: NewCompaction,
): Promise<string | undefined> {
  try {
    await core.reserveRunCapacity(started.workspaceId, "compaction", 1);
  } catch (error) {
    if (error instanceof ParleyError) return undefined;
    throw error;
  }
  const sid = core.newId("sum");
  return inTransaction(core, async (transaction) => {
    // It is not deleted meanwhile, and no summary ends: the next statement sees those that have.
    await lockStatement.execute(transaction.db, { conversationId: started.conversationId });
    return (await insertCompaction(core, transaction, { ...started, sid })) ? sid : undefined;
  });
}

/**
 * Inserts a pending summary with its run; false if one is open or held off, or if there is an older summary than it was
 * started from.
 */
export async function insertCompaction(
  core: Pick<Process, "now">,
  { db, afterCommit }: Transaction,
  started: NewCompaction & { readonly sid: string },
): Promise<boolean> {
  const [run] = await startStatement.execute(db, { ...started, now: core.now() });
  if (run !== undefined) afterCommit.push({ topic: "runs", cause: "added", kind: "compaction" });
  return run !== undefined;
}
