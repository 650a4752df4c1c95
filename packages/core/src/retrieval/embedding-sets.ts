/**
 * The sets of vectors of a workspace: one is built, one is searched. A change of the model starts a new one beside the
 * searched one, which is removed once the new one is complete.
 */
import { type embeddingSets, hasRow } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

export type EmbeddingSet = typeof embeddingSets.$inferSelect;

/** The condition that a document of the view has parts without a vector of the set, divided or not. */
export const isPending = (viewId: SQL, setId: SQL, also: SQL = sql`true`): SQL => {
  // Each is a range of the index, whose condition the queries repeat.
  const some = (way: SQL) =>
    hasRow(sql`from data_source_nodes n
      where n.view_id = ${viewId} and n.node_type = 'document' and n.embedded_set >= 0
        and n.embedded_set ${way} ${setId} and ${also}`);
  return sql`(${some(sql`<`)} or ${some(sql`>`)})`;
};

/** The set of a workspace that is built: the new one, or else the current one. */
export const builtSet = (workspaceId: SQL): SQL => sql`
  select * from embedding_sets s where s.workspace_id = ${workspaceId} and s.status in ('building', 'current')
  order by s.status limit 1`;
