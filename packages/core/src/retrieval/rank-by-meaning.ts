/**
 * Orders parts by the cosine of their vectors with that of the query. Of up to `MAX_EXACT` parts, all are compared: by the
 * signs of their dimensions in the database, and the nearest of these by whole vectors. Of more, those are that words and
 * grams have found, and those that an index of the vectors gives, if there is one; then it is asked earlier.
 */
import { dataSourceNodes, dataSourceViews, type Queryable, spaces } from "@parley/db";
import type { SearchMode } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import type { QueryMeaning } from "./embed-query.ts";
import { cosinesWith, signsOf } from "./quantize.ts";
import { MAX_EXACT_INDEXED, readIndex } from "./vector-indexes.ts";

/** Parts that the caller reaches, of which all are compared: `pnpm bench retrieval` says how long that takes. */
const MAX_EXACT = 20_000;
/** Parts that are compared by whole vectors. */
const MAX_COMPARED = 400;
/** Parts that an index is asked for, and how many it looks at before it filters them, again and again. */
const INDEX_GIVES = 100;
const INDEX_LOOKS_AT = 200;
/** Cosines below say that a part has nothing to do with a query. */
const LEAST_COSINE = 0.15;

const raw = (number: number): SQL => sql.raw(String(number));

const vectorsOfDocuments: SQL = sql`part_vectors v
  join ${dataSourceNodes} on ${dataSourceNodes.viewId} = v.view_id and ${dataSourceNodes.nodeId} = v.node_id
  join ${dataSourceViews} on ${dataSourceViews.id} = v.view_id
  join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}`;

/** How many parts of a set are compared one by one. */
export const maxExactOf = ({ indexSchema }: { readonly indexSchema: string | null }): number =>
  indexSchema === null ? MAX_EXACT : MAX_EXACT_INDEXED;

/** The place of a part. */
export interface PartPlace {
  readonly viewId: number;
  readonly nodeId: string;
  readonly partId: string;
}

interface Candidate extends PartPlace {
  readonly vector: Uint8Array;
}

/** Parts in the order of their meaning, the nearest first. */
export interface MeaningRanks {
  readonly mode: SearchMode;
  readonly nearest: readonly PartPlace[];
}

/** What is searched by meaning. */
export interface MeaningSearch {
  readonly meaning: Extract<QueryMeaning, { vector: readonly number[] }>;
  readonly viewIds: readonly number[];
  readonly condition: SQL | undefined;
  /** What words and grams have found. */
  readonly found: readonly PartPlace[];
  readonly maxExact?: number | undefined;
}

/** Finds the parts whose meaning is nearest to that of the query. */
export async function rankByMeaning(db: Queryable, search: MeaningSearch): Promise<MeaningRanks> {
  const all = await findNearest(db, search);
  if (all !== undefined) return { mode: "exact", nearest: compare(search, all) };
  const found = await readFound(db, search);
  const { indexSchema } = search.meaning;
  if (indexSchema === null) return { mode: "re-ranked", nearest: compare(search, found) };
  const indexed = await findIndexed(db, search, indexSchema);
  const keyOf = ({ viewId, nodeId, partId }: Candidate) => JSON.stringify([viewId, nodeId, partId]);
  const candidates = new Map([...found, ...indexed].map((one) => [keyOf(one), one]));
  return { mode: "hnsw", nearest: compare(search, [...candidates.values()]) };
}

function compare({ meaning }: MeaningSearch, candidates: readonly Candidate[]): PartPlace[] {
  const cosineWith = cosinesWith(meaning.vector);
  return candidates
    .map((one) => {
      const { buffer, byteOffset, byteLength } = one.vector;
      return { one, near: cosineWith(new Int8Array(buffer, byteOffset, byteLength)) };
    })
    .filter(({ near }) => near >= LEAST_COSINE)
    .toSorted((a, b) => b.near - a.near)
    .map(({ one: { viewId, nodeId, partId } }) => ({ viewId, nodeId, partId }));
}

/** The nearest of all parts by their signs; undefined if the caller reaches too many to compare them. */
async function findNearest(
  db: Queryable,
  { meaning, viewIds, condition, maxExact = maxExactOf(meaning) }: MeaningSearch,
): Promise<Candidate[] | undefined> {
  const { set, vector } = meaning;
  const rows = await selectRows<Candidate & { total: number }>(
    db,
    sql`
    with reached as materialized (
      select v.view_id, v.node_id, v.part_id, v.signs
      from ${vectorsOfDocuments}
      where v.set_id = ${set.id} and v.view_id in (select json_array_elements_text(${JSON.stringify(viewIds)}::json)::bigint)
        and length(v.signs) = ${vector.length} and ${condition ?? sql`true`}
      limit ${raw(maxExact + 1)}
    ),
    nearest as materialized (
      select view_id, node_id, part_id from reached
      where (select count(*) from reached) <= ${raw(maxExact)}
      order by bit_count(signs # ${signsOf(vector)}::varbit) limit ${raw(MAX_COMPARED)}
    )
    select v.view_id::float8 as "viewId", v.node_id as "nodeId", v.part_id as "partId", v.vector,
      (select count(*)::int from reached) as total
    from nearest join part_vectors v
      on (v.view_id, v.node_id, v.part_id, v.set_id) = (nearest.view_id, nearest.node_id, nearest.part_id, ${set.id}::bigint)
    union all select 0, '', '', '', (select count(*)::int from reached)`,
  );
  const total = rows[0]?.total ?? 0;
  return total > maxExact ? undefined : rows.filter(({ nodeId }) => nodeId !== "");
}

/** The nearest that the index of the set gives, of those that the caller reaches and the filters leave. */
async function findIndexed(
  db: Queryable,
  { meaning: { set, vector }, viewIds, condition }: MeaningSearch,
  schema: string,
): Promise<Candidate[]> {
  const index = readIndex({ setId: set.id, dimensions: vector.length, schema }, vector);
  // A condition on no row is tested before any row is read: so the settings, of this statement alone, are made first.
  return selectRows<Candidate>(
    db,
    sql`
    with tuned as materialized (
      select set_config('hnsw.iterative_scan', 'relaxed_order', true),
        set_config('hnsw.ef_search', '${raw(INDEX_LOOKS_AT)}', true)
    )
    select v.view_id::float8 as "viewId", v.node_id as "nodeId", v.part_id as "partId", v.vector
    from ${vectorsOfDocuments}
    where (select count(*) from tuned) = 1 and ${index.condition}
      and v.view_id = any(${sql.param([...viewIds])}::bigint[]) and ${condition ?? sql`true`}
    order by ${index.order} limit ${raw(INDEX_GIVES)}`,
  );
}

async function readFound(db: Queryable, { meaning, found }: MeaningSearch): Promise<Candidate[]> {
  if (found.length === 0) return [];
  const places = found.map(({ viewId, nodeId, partId }) => {
    return { view_id: viewId, node_id: nodeId, part_id: partId };
  });
  return selectRows<Candidate>(
    db,
    sql`
    select v.view_id::float8 as "viewId", v.node_id as "nodeId", v.part_id as "partId", v.vector
    from json_to_recordset(${JSON.stringify(places)}::json) as g(view_id bigint, node_id text, part_id text)
    join part_vectors v on (v.view_id, v.node_id, v.part_id, v.set_id)
      = (g.view_id, g.node_id, g.part_id, ${meaning.set.id}::bigint)
    where length(v.signs) = ${meaning.vector.length}`,
  );
}
