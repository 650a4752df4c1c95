/**
 * Finds parts of documents: by words, in the language of each document, by grams, for codes, misspelt words and scripts
 * without spaces, and by meaning, in a workspace with a model for it. Each gives an order of its own; a part's place in all
 * of them decides (reciprocal rank).
 */
import {
  dataSourceNodes,
  dataSourceViews,
  documentParts,
  type Queryable,
  spaces,
} from "@parley/db";
import type { FoundBy, SearchMode } from "@parley/schema";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Reaching } from "../access/ownership.ts";
import type { Process } from "../context.ts";
import { selectRows } from "../data-access/select-rows.ts";
import type { Searcher } from "../untrusted/searches.ts";
import type { QueryMeaning } from "./embed-query.ts";
import { type CountedTerm, countTerms, MAX_MATCHES } from "./count-terms.ts";
import { findsDocument, type PartFilters } from "./part-filters.ts";
import { type QueryTerm, termsOf } from "./query-terms.ts";
import { type PartPlace, rankByMeaning } from "./rank-by-meaning.ts";

/** Parts of each order that are merged. */
const MAX_RANKED = 100;
/** What keeps the first places of one order from outweighing the other. */
const RANK_ROOM = 60;

const raw = (number: number): SQL => sql.raw(String(number));

/** A part that was found, with its document. */
export interface FoundPart {
  readonly dataSourceId: string;
  readonly dataSourceName: string;
  readonly spaceId: string;
  readonly documentId: string;
  readonly title: string;
  readonly sourceUrl: string | null;
  readonly timestamp: number;
  readonly partId: string;
  readonly headings: string[];
  readonly content: string;
  /** In UTF-16 units of the document's text. */
  readonly start: number;
  readonly end: number;
  /** By reciprocal rank: only for the order of one search. */
  readonly score: number;
  /** The orders that it has a place in. */
  readonly foundBy: FoundBy[];
}

interface PartSearch {
  readonly query: string;
  readonly filters: PartFilters;
  readonly limit: number;
  /** What the query means; left out, it is not compared. */
  readonly meaning?: QueryMeaning | undefined;
  /** Parts of which all are compared. */
  readonly maxExact?: number | undefined;
}

/** What a search found, and how. */
export interface SearchedParts {
  readonly parts: FoundPart[];
  readonly mode: SearchMode;
  /** Why meanings were not compared although there is a model for it. */
  readonly modeReason: string | null;
}

/**
 * Finds the parts that match best among the documents that the caller reaches, under the bounds of all searches of its
 * workspace. Throws the errors of `RunSearch`.
 */
export async function searchParts(
  { runSearch }: Pick<Process, "runSearch">,
  { caller, ...searcher }: Omit<Searcher, "workspaceId"> & { readonly caller: Reaching },
  { query, filters, limit, meaning = { reason: null }, maxExact }: PartSearch,
): Promise<SearchedParts> {
  const modeReason = "reason" in meaning ? meaning.reason : null;
  const nothing: SearchedParts = { parts: [], mode: "word", modeReason };
  const terms = termsOf(query);
  if (terms.length === 0 && !("vector" in meaning)) return nothing;
  const of = { ...searcher, workspaceId: caller.workspace.id };
  return runSearch(of, async (db) => {
    const condition = findsDocument(caller, filters);
    const viewIds = await findViews(db, caller, filters);
    if (viewIds.length === 0) return nothing;
    const inViews = sql`${viewIds.map((id) => `'view ${id}'`).join(" | ")}::text::tsquery`;
    const counted = await countTerms(db, { terms, inViews });
    const found = await rankParts(db, { counted, inViews, condition });
    const { mode, nearest } =
      "vector" in meaning
        ? await rankByMeaning(db, { meaning, viewIds, condition, found, maxExact })
        : { mode: "word" as const, nearest: [] };
    const ranked = addNearest(found, nearest.slice(0, MAX_RANKED));
    const places = mergeRanks(ranked).slice(0, limit);
    return { parts: await readParts(db, { places, condition }), mode, modeReason };
  });
}

/** The data sources that the caller reaches: searches read no parts of others. */
async function findViews(db: Queryable, caller: Reaching, filters: PartFilters): Promise<number[]> {
  const { dataSourceIds, spaceId } = filters;
  const ofViews = findsDocument(caller, { dataSourceIds, spaceId });
  const rows = await selectRows<{ id: number }>(
    db,
    sql`
    select ${dataSourceViews.id}::float8 as id from ${dataSourceViews}
    join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}
    where exists (select from ${dataSourceNodes}
      where ${dataSourceNodes.viewId} = ${dataSourceViews.id} and ${ofViews})
    order by ${dataSourceViews.id} limit 1000`,
  );
  return rows.map(({ id }) => id);
}

interface Found extends PartPlace {
  readonly byWords: number;
  readonly byGrams: number;
}

interface Ranked extends Found {
  readonly byMeaning: number;
}

/** Adds the places of the nearest parts to those of the found ones. */
function addNearest(found: readonly Found[], nearest: readonly PartPlace[]): Ranked[] {
  const keyOf = ({ viewId, nodeId, partId }: PartPlace) => JSON.stringify([viewId, nodeId, partId]);
  const ranked = new Map<string, Ranked>();
  for (const one of found) ranked.set(keyOf(one), { ...one, byMeaning: 0 });
  for (const [index, one] of nearest.entries()) {
    const before = ranked.get(keyOf(one)) ?? { ...one, byWords: 0, byGrams: 0 };
    ranked.set(keyOf(one), { ...before, byMeaning: index + 1 });
  }
  return [...ranked.values()];
}

/** How much a term says: the rarer, the more. */
const weightOf = ({ count, weight }: CountedTerm): number =>
  weight * Math.log(1 + (MAX_MATCHES + 1) / count);

/** The parts that match best by words, and by grams. */
async function rankParts(
  db: Queryable,
  given: { counted: readonly CountedTerm[]; inViews: SQL; condition: SQL | undefined },
): Promise<Found[]> {
  const { counted, inViews, condition } = given;
  if (counted.length === 0) return [];
  const { words } = documentParts;
  const rare = counted.filter(({ count }) => count <= MAX_MATCHES);
  const ofWords = counted.filter(({ kind }) => kind === "word");
  // All common words together may be rare.
  const together = ofWords.length === 0 ? counted : ofWords;
  const ways = [
    ...rare.map(({ query }) => query),
    ...(rare.length < counted.length
      ? [
          sql`(${sql.join(
            together.map(({ query }) => query),
            sql` && `,
          )})`,
        ]
      : []),
    ...(rare.length === 0 ? counted.slice(0, 1).map(({ query }) => query) : []),
  ];
  const matches = ways.map(
    (query) => sql`(select view_id, node_id, part_id from ${documentParts}
      where ${words} @@ (${inViews} && ${query}) limit ${raw(MAX_MATCHES)})`,
  );
  const scoreOf = (kind: QueryTerm["kind"]): SQL => {
    const parts = counted
      .filter((term) => term.kind === kind)
      .map((term) => sql`(${words} @@ ${term.query})::int * ${weightOf(term)}::float8`);
    return parts.length === 0 ? sql`0::float8` : sql`(${sql.join(parts, sql` + `)})`;
  };
  const any = sql.join(
    counted.map(({ query }) => query),
    sql` || `,
  );
  const rows = await selectRows<Found>(
    db,
    sql`
    with matching as (${sql.join(matches, sql` union `)}),
    scored as materialized (
      select m.view_id, m.node_id, m.part_id, ${scoreOf("word")} as by_words, ${scoreOf("grams")} as by_grams,
        ts_rank(${words}, ${any}) as density
      from matching m
      join ${documentParts} on ${documentParts.viewId} = m.view_id and ${documentParts.nodeId} = m.node_id
        and ${documentParts.partId} = m.part_id
      join ${dataSourceNodes} on ${dataSourceNodes.viewId} = m.view_id and ${dataSourceNodes.nodeId} = m.node_id
      join ${dataSourceViews} on ${dataSourceViews.id} = m.view_id
      join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}
      where ${condition ?? sql`true`}
    ),
    placed as (
      select *, row_number() over (order by by_words desc, density desc, view_id, node_id, part_id) as word_place,
        row_number() over (order by by_grams desc, density desc, view_id, node_id, part_id) as gram_place
      from scored
    )
    select view_id::float8 as "viewId", node_id as "nodeId", part_id as "partId",
      case when by_words > 0 then word_place::float8 else 0 end as "byWords",
      case when by_grams > 0 then gram_place::float8 else 0 end as "byGrams"
    from placed where word_place <= ${raw(MAX_RANKED)} or gram_place <= ${raw(MAX_RANKED)}`,
  );
  return rows;
}

type Placed = PartPlace & Pick<FoundPart, "score" | "foundBy">;

/** Places by the sum of the reciprocals of their ranks, of which 0 is none, the best first. */
function mergeRanks(ranked: readonly Ranked[]): Placed[] {
  const scoreOf = (rank: number): number => (rank === 0 ? 0 : 1 / (RANK_ROOM + rank));
  return ranked
    .map((one) => {
      const score = scoreOf(one.byWords) + scoreOf(one.byGrams) + scoreOf(one.byMeaning);
      const ways = { words: one.byWords, pieces: one.byGrams, meaning: one.byMeaning };
      const foundBy = (["words", "pieces", "meaning"] as const).filter((way) => ways[way] > 0);
      return { ...one, score, foundBy };
    })
    .toSorted((a, b) => b.score - a.score || a.byWords - b.byWords || a.byGrams - b.byGrams);
}

async function readParts(
  db: Queryable,
  { places, condition }: { places: readonly Placed[]; condition: SQL | undefined },
): Promise<FoundPart[]> {
  if (places.length === 0) return [];
  const given = JSON.stringify(
    places.map(({ viewId, nodeId, partId, score, foundBy }, nth) => ({
      nth,
      view_id: viewId,
      node_id: nodeId,
      part_id: partId,
      score,
      found_by: foundBy,
    })),
  );
  const isGiven = and(
    eq(documentParts.viewId, sql`g.view_id`),
    eq(documentParts.nodeId, sql`g.node_id`),
    eq(documentParts.partId, sql`g.part_id`),
  );
  const rows = await selectRows<FoundPart>(
    db,
    sql`
    select ${dataSourceViews.dataSourceSid} as "dataSourceId", ${dataSourceViews.name} as "dataSourceName",
      ${spaces.sid} as "spaceId", ${dataSourceNodes.nodeId} as "documentId", ${dataSourceNodes.title} as title,
      ${dataSourceNodes.sourceUrl} as "sourceUrl", ${dataSourceNodes.timestamp}::float8 as timestamp,
      ${documentParts.partId} as "partId", to_json(${documentParts.headings}) as headings, ${documentParts.content} as content,
      ${documentParts.start} as start, ${documentParts.end} as end, g.score,
      g.found_by as "foundBy"
    from json_to_recordset(${given}::json)
      as g(nth int, view_id bigint, node_id text, part_id text, score float8, found_by json)
    join ${documentParts} on ${isGiven}
    join ${dataSourceNodes} on ${dataSourceNodes.viewId} = g.view_id and ${dataSourceNodes.nodeId} = g.node_id
    join ${dataSourceViews} on ${dataSourceViews.id} = g.view_id
    join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}
    where ${condition ?? sql`true`}
    order by g.nth`,
  );
  return rows;
}
