import { dataSourceNodes } from "@parley/db";
import type { DataSourceViewParams, FoundDocuments, SearchDocuments } from "@parley/schema";
import { and, arrayOverlaps, desc, eq, gt, lt, not, type SQL, sql } from "drizzle-orm";
import type { Context } from "../context.ts";
import { excerptOf } from "./document-text.ts";
import { renderDocument } from "./documents.ts";
import { allWordsOf, anyWordOf, hasWords, MAX_RANKED } from "./match-nodes.ts";
import { shownColumns } from "./nodes.ts";
import { requireOwnView } from "./views.ts";

/** Characters at the beginning of a text that are searched, as its index has them. */
const SEARCHED_CHARACTERS = 65_536;

/**
 * Finds the documents of a view that match best, each with the part around what was found. Throws
 * `data_source_view_not_found`.
 */
export async function searchDocuments(
  context: Context,
  input: DataSourceViewParams & SearchDocuments,
): Promise<FoundDocuments> {
  const { db } = context.database;
  const { view } = await requireOwnView(db, context, input);
  const { viewId, nodeId, nodeType, parents, search, timestamp, content } = dataSourceNodes;
  const words = (input.full_text === true ? allWordsOf : anyWordOf)(input.query);
  const matching = db
    .select({ viewId, nodeId })
    .from(dataSourceNodes)
    .where(
      and(
        eq(viewId, view.id),
        eq(nodeType, "document"),
        hasWords([view.id], words),
        view.parentsIn === null ? undefined : arrayOverlaps(parents, view.parentsIn),
        ...filtersOf(input),
      ),
    )
    .limit(MAX_RANKED)
    .as("matching");
  const score = sql<number>`ts_rank(${search}, ${words})`;
  const rows = await db
    .select({
      node: shownColumns,
      score,
      content: sql<string>`left(${content}, ${SEARCHED_CHARACTERS})`,
    })
    .from(dataSourceNodes)
    .innerJoin(matching, and(eq(viewId, matching.viewId), eq(nodeId, matching.nodeId)))
    .orderBy(desc(score), desc(timestamp), nodeId)
    .limit(input.top_k);
  return {
    documents: rows.map((row) =>
      renderDocument(view, row.node, { ...excerptOf(row.content, input.query), score: row.score }),
    ),
  };
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
