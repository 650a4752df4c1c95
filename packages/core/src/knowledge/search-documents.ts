import { dataSourceNodes, type Queryable } from "@parley/db";
import type {
  DataSourceParams,
  DataSourceViewParams,
  FoundDocuments,
  SearchDocuments,
} from "@parley/schema";
import {
  and,
  arrayOverlaps,
  desc,
  eq,
  gt,
  lt,
  not,
  type SQL,
  sql,
  type SQLWrapper,
} from "drizzle-orm";
import { searcherOf, type Context } from "../context.ts";
import { requireDataSource, type ViewRow } from "./data-sources.ts";
import { renderDocument } from "./documents.ts";
import {
  allWordsOf,
  anyWordOf,
  excerptFor,
  hasWords,
  isAmongRanked,
  MAX_MATCHES,
  titleRank,
  wordsRank,
} from "./match-nodes.ts";
import { shownColumns } from "./nodes.ts";
import { requireOwnView } from "./views.ts";

/**
 * Finds the documents of a view that match best, each with the part around what was found. Throws
 * `data_source_view_not_found`, and the errors of `RunSearch`.
 */
export async function searchDocuments(
  context: Context,
  input: DataSourceViewParams & SearchDocuments,
): Promise<FoundDocuments> {
  const { view } = await requireOwnView(context.database.db, context, input);
  return searchView(context, view, input);
}

/**
 * The same for a data source, whose view shows what is found. Throws `data_source_not_found`, and the errors of
 * `RunSearch`.
 */
export async function searchDataSource(
  context: Context,
  input: DataSourceParams & SearchDocuments,
): Promise<FoundDocuments> {
  const { dsId, spaceId } = input;
  const named = { dsId, spaceId, isLocked: false };
  const view = await requireDataSource(context.database.db, context, named);
  return searchView(context, view, input);
}

async function searchView(
  context: Context,
  view: ViewRow,
  input: SearchDocuments,
): Promise<FoundDocuments> {
  const inView = and(
    eq(dataSourceNodes.viewId, view.id),
    view.parentsIn === null ? undefined : arrayOverlaps(dataSourceNodes.parents, view.parentsIn),
  );
  const rows = await context.runSearch(searcherOf(context), (db) =>
    selectBest(db, input, { viewId: view.id, inView }),
  );
  return {
    documents: rows.map(({ node, excerpt, score }) =>
      renderDocument(view, node, { ...excerpt, score }),
    ),
  };
}

/** A query for the documents that match best. */
function selectBest(
  db: Queryable,
  input: SearchDocuments,
  within: { viewId: number; inView: SQL | undefined },
) {
  const { viewId, nodeId, nodeType, timestamp } = dataSourceNodes;
  const words = (input.full_text === true ? allWordsOf : anyWordOf)(input.query);
  const matching = db
    .select({ viewId, nodeId })
    .from(dataSourceNodes)
    .where(
      and(
        within.inView,
        eq(nodeType, "document"),
        hasWords([within.viewId], words),
        ...filtersOf(input),
      ),
    )
    .limit(MAX_MATCHES)
    .as("matching");
  const isSame = (other: Record<"viewId" | "nodeId", SQLWrapper>) =>
    and(sql`${viewId} = ${other.viewId}`, sql`${nodeId} = ${other.nodeId}`);
  const byTitle = sql`${titleRank(words)} desc, ${timestamp} desc, ${nodeId}`;
  const ordered = db
    .select({ viewId, nodeId, isRanked: isAmongRanked(byTitle).as("is_ranked") })
    .from(dataSourceNodes)
    .innerJoin(matching, isSame(matching))
    .as("ordered");
  const score = sql<number>`case when ${ordered.isRanked}
    then ${wordsRank(words)} else ${titleRank(words)} end`;
  const best = db
    .select({ viewId, nodeId, score: score.as("score") })
    .from(dataSourceNodes)
    .innerJoin(ordered, isSame(ordered))
    .orderBy(sql`score desc`, desc(timestamp), nodeId)
    .limit(input.top_k)
    .as("best");
  return db
    .select({ node: shownColumns, score: best.score, excerpt: excerptFor(input.query) })
    .from(dataSourceNodes)
    .innerJoin(best, isSame(best))
    .orderBy(desc(best.score), desc(timestamp), nodeId);
}

function filtersOf(input: SearchDocuments): (SQL | undefined)[] {
  const { timestamp, tags, parents } = dataSourceNodes;
  const { timestamp_gt: after, timestamp_lt: before } = input;
  const within = (column: typeof tags, some: string[] | undefined, none: string[] | undefined) => [
    some && arrayOverlaps(column, some),
    none && not(arrayOverlaps(column, none)),
  ];
  return [
    after === undefined ? undefined : gt(timestamp, after),
    before === undefined ? undefined : lt(timestamp, before),
    ...within(tags, input.tags_in, input.tags_not),
    ...within(parents as unknown as typeof tags, input.parents_in, input.parents_not),
  ];
}
