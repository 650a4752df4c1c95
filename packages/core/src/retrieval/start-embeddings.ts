import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { builtSet, isPending } from "./embedding-sets.ts";

const STARTED_AT_ONCE = 100;
/** Vectors of one statement that removes them. */
const REMOVED_AT_ONCE = 5000;

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

const completeStatement = statement<{ now: number }, { id: number }>(
  "complete_embedding_sets",
  sql`
  with done as (
    select s.id, s.workspace_id from embedding_sets s
    where s.status = 'building' and not exists (
      select from data_source_views v
      where v.workspace_id = s.workspace_id
        and ${isPending(sql`v.id`, sql`s.id`, sql`n.updated_at <= s.created_at`)}
    )
    order by s.id for update of s skip locked
  ),
  replaced as (
    update embedding_sets o set status = 'removed' from done
    where o.workspace_id = done.workspace_id and o.status = 'current'
  )
  update embedding_sets s set status = 'current', completed_at = ${sql.placeholder("now")}::bigint
  from done where s.id = done.id returning s.id::float8 as id`,
);

const removeStatement = statement<Record<string, never>, { removed: number }>(
  "remove_embedding_sets",
  sql`
  with gone as materialized (
    select id from embedding_sets where status = 'removed' order by id limit 1 for update skip locked
  ),
  chosen as materialized (
    select v.view_id, v.node_id, v.part_id, v.set_id from gone join part_vectors v on v.set_id = gone.id
    limit ${sql.raw(String(REMOVED_AT_ONCE))}
  ),
  deleted as (
    delete from part_vectors v using chosen
    where (v.view_id, v.node_id, v.part_id, v.set_id) = (chosen.view_id, chosen.node_id, chosen.part_id, chosen.set_id)
  ),
  ended as (
    delete from embedding_sets s using gone where s.id = gone.id and not exists (select from chosen)
  )
  select count(*)::int as removed from chosen`,
);

/**
 * Lets searches use new sets that have vectors of all documents that there were when they were begun, and removes some of
 * the vectors that nothing uses any more.
 */
export async function sweepEmbeddingSets(core: Pick<Process, "database" | "now">): Promise<void> {
  const { db } = core.database.slow;
  await completeStatement.execute(db, { now: core.now() });
  await removeStatement.execute(db, {});
}
