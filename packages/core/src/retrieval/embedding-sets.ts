/**
 * The sets of vectors of a workspace: one is built, one is searched. A change of the model starts a new one beside the
 * searched one, which is removed once the new one is complete.
 */
import { embeddingSets, hasRow, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";

export type EmbeddingSet = typeof embeddingSets.$inferSelect;

/** Vectors of one statement that removes them. */
const REMOVED_AT_ONCE = 5000;

/** The condition that a document of the view has parts without a vector of the set, divided or not. */
export const isPending = (viewId: SQL, setId: SQL, also: SQL = sql`true`): SQL => {
  // Each is a range of the index.
  const some = (way: SQL) =>
    hasRow(sql`from data_source_nodes n
      where n.view_id = ${viewId} and n.node_type = 'document' and n.embedded_set ${way} ${setId} and ${also}`);
  return sql`(${some(sql`<`)} or ${some(sql`>`)})`;
};

/** The set of a workspace that is built: the new one, or else the current one. */
export const builtSet = (workspaceId: SQL): SQL => sql`
  select * from embedding_sets s where s.workspace_id = ${workspaceId} and s.status in ('building', 'current')
  order by s.status limit 1`;

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
