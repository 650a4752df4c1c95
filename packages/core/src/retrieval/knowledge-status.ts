import { dataSourceViews, type EmbeddingStop, embeddingSets } from "@parley/db";
import type { KnowledgeStatus, SearchMode } from "@parley/schema";
import { and, asc, eq, ne, sql } from "drizzle-orm";
import type { Process, RequestContext } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { selectRows } from "../data-access/select-rows.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import type { EmbeddingSet } from "./embedding-sets.ts";
import { maxExactOf } from "./rank-by-meaning.ts";
import { hasIndexedSet, indexSchemaOf } from "./vector-indexes.ts";

/** Says how documents are searched, and how many parts have a vector. Throws `workspace_not_found`. */
export async function getKnowledgeStatus(
  context: RequestContext,
  input: { wId: string },
): Promise<KnowledgeStatus> {
  const { db } = onSlowDatabase(context).database;
  const { id } = await administeredWorkspace(context, context.database.db, input.wId);
  const sets = await db
    .select()
    .from(embeddingSets)
    .where(and(eq(embeddingSets.workspaceId, id), ne(embeddingSets.status, "removed")))
    .orderBy(asc(embeddingSets.status));
  const built = sets[0];
  const searched = sets.find(({ status }) => status === "current");
  const ofViews = sql`${dataSourceViews} where ${dataSourceViews.workspaceId} = ${id}`;
  const nothing = { parts: 0, embedded: 0, searchable: 0, indexSchema: null };
  const [counts = nothing] = await selectRows<{
    parts: number;
    embedded: number;
    searchable: number;
    indexSchema: string | null;
  }>(
    db,
    sql`
    with views as materialized (select ${dataSourceViews.id} as id from ${ofViews}),
    vectors as materialized (
      select v.set_id, count(*) as count from views join part_vectors v on v.view_id = views.id group by 1
    )
    select (select count(*)::float8 from views join document_parts p on p.view_id = views.id) as parts,
      coalesce((select count from vectors where set_id = ${built?.id ?? 0}), 0)::float8 as embedded,
      coalesce((select count from vectors where set_id = ${searched?.id ?? 0}), 0)::float8 as searchable,
      ${indexSchemaOf(sql`${searched?.id ?? 0}::bigint`)} as "indexSchema"`,
  );
  return {
    mode: searched === undefined ? "word" : modeOf(counts),
    embedding: built === undefined ? null : renderSet(built, searched),
    parts: counts.parts,
    embeddedParts: counts.embedded,
  };
}

/** How a search of all vectors of a set compares them. */
function modeOf(set: { searchable: number; indexSchema: string | null }): SearchMode {
  if (set.searchable <= maxExactOf(set)) return "exact";
  return set.indexSchema === null ? "re-ranked" : "hnsw";
}

function renderSet(
  {
    providerId,
    modelId,
    askedDimensions,
    dimensions,
    status,
    stop,
    problem,
    retryAt,
  }: EmbeddingSet,
  searched: EmbeddingSet | undefined,
): NonNullable<KnowledgeStatus["embedding"]> {
  const state: EmbeddingStop | "complete" | "building" =
    stop ?? (status === "current" ? "complete" : "building");
  return {
    providerId,
    modelId,
    askedDimensions,
    problem,
    retryAt,
    state,
    dimensions: dimensions ?? askedDimensions,
    isReplacing: status === "building" && searched !== undefined,
  };
}

/** The way in which documents are searched in some workspace of the server, the best of those that are in force. */
export async function findSearchMode({ database }: Pick<Process, "database">): Promise<SearchMode> {
  const isCurrent = eq(embeddingSets.status, "current");
  const [row] = await database.db
    .select({ isIndexed: hasIndexedSet })
    .from(embeddingSets)
    .where(isCurrent)
    .limit(1);
  if (row === undefined) return "word";
  return row.isIndexed ? "hnsw" : "exact";
}
