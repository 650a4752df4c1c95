import { dataSourceNodes, dataSourceViews, type Queryable, spaces } from "@parley/db";
import {
  type FindNodes,
  type FoundKnowledge,
  type FoundNode,
  type FoundNodes,
  type SearchNodes,
} from "@parley/schema";
import { and, asc, desc, eq, inArray, type SQL, sql, type SQLWrapper } from "drizzle-orm";
import { alias, union } from "drizzle-orm/pg-core";
import { type Context, searcherOf } from "../context.ts";
import {
  MAX_DATA_SOURCES,
  type ReachedView,
  renderDataSource,
  renderView,
  selectOwnViews,
} from "./data-sources.ts";
import {
  allWordsOf,
  hasWords,
  isAmongRanked,
  MAX_MATCHES,
  titleBegins,
  titleRank,
  wordsRank,
} from "./match-nodes.ts";
import { type ShownNode, shownColumns } from "./nodes.ts";
import { isShown } from "./views.ts";

/** The MIME type that marks a data source among nodes. */
const DATA_SOURCE_TYPE = "application/vnd.dust.datasource";

const typesOf: Readonly<Record<SearchNodes["viewType"], ShownNode["nodeType"][] | undefined>> = {
  all: undefined,
  document: ["document", "folder"],
  table: ["table", "folder"],
};

/**
 * Finds nodes in the spaces that the caller reaches, a page at a time: first those with the title that the
 * query is, then titles that begin with it, then by how well the words match. With `nodeIds`, those nodes.
 */
export async function searchNodes(context: Context, search: SearchNodes): Promise<FoundNodes> {
  const { db } = context.database;
  const { query, spaceIds = [], cursor, limit } = search;
  const inSpaces = spaceIds.length === 0 ? undefined : inArray(spaces.sid, spaceIds);
  const views = await selectOwnViews(db, context, inSpaces).limit(MAX_DATA_SOURCES);
  const offset = Number(cursor ?? 0);
  const isNamed = ({ view }: ReachedView) =>
    view.name.toLowerCase().includes((query ?? "").toLowerCase());
  const sources =
    search.includeDataSources === true && query !== undefined ? views.filter(isNamed) : [];
  // Data sources come before all nodes.
  const nodes = sources.slice(offset, offset + limit + 1).map((row) => renderSource(context, row));
  if (nodes.length <= limit && views.length > 0) {
    const byId = new Map(views.map((row) => [row.view.id, row]));
    const skipped = Math.max(0, offset - sources.length);
    const count = limit + 1 - nodes.length;
    const rows = await context.runSearch(searcherOf(context), (searches) =>
      selectMatches(searches, search, { viewIds: [...byId.keys()], skipped, count }),
    );
    for (const row of rows) nodes.push(renderNode(context, row, byId.get(row.node.viewId)!));
  }
  const page = nodes.slice(0, limit);
  const end = offset + page.length;
  const isLast = nodes.length <= limit || end >= MAX_MATCHES;
  return {
    nodes: page,
    warningCode: null,
    resultsCount: end,
    nextPageCursor: isLast ? null : String(end),
  };
}

/** The same with a query string. */
export async function findNodes(
  context: Context,
  { viewType, ...search }: FindNodes,
): Promise<FoundKnowledge> {
  const types = { all: "all", documents: "document", tables: "table" } as const;
  const given = { ...search, nodeIds: undefined, viewType: types[viewType ?? "all"] };
  return { knowledgeResults: await searchNodes(context, given) };
}

interface Matches {
  readonly viewIds: readonly number[];
  readonly skipped: number;
  readonly count: number;
}

const parent = alias(dataSourceNodes, "parent");

/** A query for the matching nodes of some views, the best first. */
function selectMatches(db: Queryable, search: SearchNodes, { viewIds, skipped, count }: Matches) {
  const { viewId, nodeId, parents, updatedAt } = dataSourceNodes;
  const isSearched = and(
    inArray(viewId, [...viewIds]),
    typesOf[search.viewType] && inArray(dataSourceNodes.nodeType, typesOf[search.viewType]!),
    isShown(),
  );
  const matching = candidatesOf(db, search, { viewIds, isSearched });
  const last = [desc(updatedAt), asc(viewId), asc(nodeId)];
  const { byTitle, best } = orderOf(search.query);
  const ordered = db
    .select({
      viewId,
      nodeId,
      isRanked: isAmongRanked(sql.join([...byTitle, ...last], sql`, `)).as("is_ranked"),
    })
    .from(dataSourceNodes)
    .innerJoin(matching, and(eq(viewId, matching.viewId), eq(nodeId, matching.nodeId)))
    .as("ordered");
  return db
    .select({ node: shownColumns, parentTitle: parent.title })
    .from(dataSourceNodes)
    .innerJoin(ordered, and(eq(viewId, ordered.viewId), eq(nodeId, ordered.nodeId)))
    .leftJoin(parent, and(eq(parent.viewId, viewId), sql`${parent.nodeId} = ${parents}[2]`))
    .orderBy(...best(ordered.isRanked), ...last)
    .limit(count)
    .offset(skipped);
}

/** The order of matches by what their rows hold, and that in which the first of them are ranked. */
function orderOf(query: string | undefined): {
  byTitle: SQL[];
  best: (isRanked: SQLWrapper) => SQL[];
} {
  const { title } = dataSourceNodes;
  if (query === undefined) return { byTitle: [asc(title)], best: () => [asc(title)] };
  const words = allWordsOf(query);
  const isTitle = sql`lower(${title}) = lower(${query})`;
  const first = [desc(isTitle), desc(titleBegins(query))];
  const ofTitle = titleRank(words);
  return {
    byTitle: [...first, desc(ofTitle)],
    best: (isRanked) => [
      ...first,
      sql`case when ${isRanked} then ${wordsRank(words)} else ${ofTitle} end desc`,
    ],
  };
}

/** A subquery for the nodes to rank: each way to match has an index. */
function candidatesOf(
  db: Queryable,
  { query, nodeIds = [], searchSourceUrls }: SearchNodes,
  { viewIds, isSearched }: { viewIds: readonly number[]; isSearched: SQL | undefined },
) {
  const { viewId, nodeId, sourceUrl } = dataSourceNodes;
  const select = (condition: SQL) =>
    db
      .select({ viewId, nodeId })
      .from(dataSourceNodes)
      .innerJoin(dataSourceViews, eq(dataSourceViews.id, viewId))
      .where(and(isSearched, condition))
      .limit(MAX_MATCHES);
  if (query === undefined) return select(inArray(nodeId, nodeIds)).as("matching");
  const ways = union(select(titleBegins(query)), select(hasWords(viewIds, allWordsOf(query))));
  if (searchSourceUrls !== true) return ways.as("matching");
  return ways.union(select(eq(sourceUrl, query))).as("matching");
}

function renderNode(
  context: Context,
  { node, parentTitle }: { node: ShownNode; parentTitle: string | null },
  row: ReachedView,
): FoundNode {
  return {
    internalId: node.nodeId,
    type: node.nodeType,
    title: node.title,
    mimeType: node.contentType,
    expandable: node.nodeType === "folder",
    preventSelection: false,
    lastUpdatedAt: node.timestamp,
    parentInternalId: node.parents[1] ?? null,
    parentsInternalIds: node.parents,
    parentTitle,
    providerVisibility: node.providerVisibility,
    sourceUrl: node.sourceUrl,
    dataSource: renderDataSource(context, row.view),
    dataSourceViews: [renderView(context, row)],
  };
}

/** A data source as a folder of all that is in it. */
function renderSource(context: Context, row: ReachedView): FoundNode {
  const { dataSourceSid: internalId, name, updatedAt } = row.view;
  return {
    internalId,
    type: "folder",
    title: name,
    mimeType: DATA_SOURCE_TYPE,
    expandable: true,
    preventSelection: true,
    lastUpdatedAt: updatedAt,
    parentInternalId: null,
    parentsInternalIds: [internalId],
    parentTitle: null,
    providerVisibility: null,
    sourceUrl: null,
    dataSource: renderDataSource(context, row.view),
    dataSourceViews: [renderView(context, row)],
  };
}
