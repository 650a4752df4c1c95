import { dataSourceNodes, dataSourceViews, spaces } from "@parley/db";
import { and, arrayOverlaps, eq, gt, inArray, lt, not, or, type SQL, sql } from "drizzle-orm";
import type { Reaching } from "../access/ownership.ts";
import { reachesSpace } from "../access/space-reach.ts";
import { isShown } from "../knowledge/views.ts";

/** Data sources, folders and tags; what has one of these is among them. */
interface Selection {
  readonly everything?: boolean | undefined;
  readonly dataSourceIds?: readonly string[] | undefined;
  readonly folders?:
    | readonly { readonly dataSourceId: string; readonly folderId: string }[]
    | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Which nodes are searched, of those that the caller reaches. */
export interface PartFilters {
  /** Only nodes of these kinds; documents by default. */
  readonly nodeTypes?: readonly ("document" | "table")[] | undefined;
  /** Only what is selected; left out: everything. */
  readonly selection?: Selection | undefined;
  /** Only in this space. */
  readonly spaceId?: number | undefined;
  /** Besides open spaces only this restricted one, or none: whoever reads the answer reaches what is found. */
  readonly onlyRestrictedSpaceId?: number | null | undefined;
  /** Only in these data sources. */
  readonly dataSourceIds?: readonly string[] | undefined;
  readonly documentId?: string | undefined;
  readonly tagsIn?: readonly string[] | undefined;
  readonly tagsNot?: readonly string[] | undefined;
  readonly parentsIn?: readonly string[] | undefined;
  readonly parentsNot?: readonly string[] | undefined;
  /** When the content last changed, in milliseconds. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

/** The rows of nodes, views and spaces that `findsDocument` is a condition of. */
export const fromDocuments: SQL = sql`
  from ${dataSourceNodes}
  join ${dataSourceViews} on ${dataSourceViews.id} = ${dataSourceNodes.viewId}
  join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}`;

/** The condition that a caller finds the node of the rows of nodes, views and spaces. */
export function findsDocument(caller: Reaching, filters: PartFilters): SQL | undefined {
  const { nodeId, nodeType, tags, timestamp } = dataSourceNodes;
  const parents = sql`${dataSourceNodes.parents}`;
  const { spaceId, onlyRestrictedSpaceId, dataSourceIds, documentId, after, before } = filters;
  const overlap = (column: SQL, values: readonly string[]) =>
    sql`${column} && ${sql.param([...values])}::text[]`;
  return and(
    eq(dataSourceViews.workspaceId, caller.workspace.id),
    reachesSpace(caller),
    sql`${spaces.deletedAt} is null`,
    isShown(),
    inArray(nodeType, [...(filters.nodeTypes ?? (["document"] as const))]),
    filters.selection && isSelected(filters.selection),
    spaceId === undefined ? undefined : eq(spaces.id, spaceId),
    onlyRestrictedSpaceId === undefined
      ? undefined
      : or(eq(spaces.isRestricted, false), sql`${spaces.id} = ${onlyRestrictedSpaceId}::bigint`),
    dataSourceIds && inArray(dataSourceViews.dataSourceSid, [...dataSourceIds]),
    documentId === undefined ? undefined : eq(nodeId, documentId),
    filters.tagsIn && overlap(sql`${tags}`, filters.tagsIn),
    filters.tagsNot && not(arrayOverlaps(tags, [...filters.tagsNot])),
    filters.parentsIn && overlap(parents, filters.parentsIn),
    filters.parentsNot && sql`not ${overlap(parents, filters.parentsNot)}`,
    after === undefined ? undefined : gt(timestamp, after),
    before === undefined ? undefined : lt(timestamp, before),
  );
}

function isSelected({ everything, dataSourceIds = [], folders = [], tags = [] }: Selection) {
  if (everything === true) return undefined;
  const { dataSourceSid } = dataSourceViews;
  const ways = [
    dataSourceIds.length === 0 ? undefined : inArray(dataSourceSid, [...dataSourceIds]),
    ...folders.map(({ dataSourceId, folderId }) =>
      and(
        eq(dataSourceSid, dataSourceId),
        sql`${dataSourceNodes.parents} @> array[${folderId}]::text[]`,
      ),
    ),
    tags.length === 0 ? undefined : arrayOverlaps(dataSourceNodes.tags, [...tags]),
  ].filter((way) => way !== undefined);
  return ways.length === 0 ? sql`false` : or(...ways);
}
