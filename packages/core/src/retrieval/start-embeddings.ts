import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { builtSet, isPending } from "./embedding-sets.ts";

const STARTED_AT_ONCE = 100;

// A view has one run at a time. Ids of runs are new ones, because the ledger counts the calls of each.
const startStatement = statement<{ now: number }, { id: string }>(
  "start_embeddings",
  sql`
  with due as (
    select v.id, v.workspace_id
    from (select distinct workspace_id from embedding_sets where status <> 'removed') w,
      lateral (${builtSet(sql`w.workspace_id`)}) built
    join data_source_views v on v.workspace_id = built.workspace_id
    where coalesce(built.retry_at, 0) <= ${sql.placeholder("now")}::bigint
      and not exists (select from runs r where r.kind = 'embedding' and r.subject_id = v.id)
      and ${isPending(sql`v.id`, sql`built.id`, sql`n.divided_at is not null`)}
    order by v.id limit ${sql.raw(String(STARTED_AT_ONCE))}
  ),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, status, priority, attempt, max_attempts, run_after,
      created_at)
    select 'embedding', due.workspace_id, 'emb_' || gen_random_uuid(), due.id, 'waiting', 0, 0, 100, now(),
      ${sql.placeholder("now")}::bigint
    from due
    on conflict (subject_id) where kind = 'embedding' do nothing
    returning log_id
  )
  insert into logs (id, last_seq, fence) select log_id, 0, 0 from run order by log_id returning id`,
);

/**
 * Starts an embedding for each data source with divided documents that have parts without a vector, unless one is under way
 * or the workspace's have stopped, and gives the number of those started.
 */
export async function startEmbeddings(
  core: Pick<Process, "database" | "bus" | "now">,
): Promise<number> {
  const started = await startStatement.execute(core.database.db, { now: core.now() });
  if (started.length > 0) {
    core.bus.publish([{ topic: "runs", cause: "added", kind: "embedding" }]);
  }
  return started.length;
}
