import { dataSourceNodes, dataSourceViews } from "@parley/db";
import type {
  AdministeredNode,
  AdministeredNodePage,
  DivisionState,
  ListDataSourceNodes,
  NodeIdentity,
  Success,
} from "@parley/schema";
import { and, asc, eq, gt, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { requireView } from "./data-source-administration.ts";
import { selectReachedViews, viewNotFound } from "./data-sources.ts";
import { unknownNode } from "./documents.ts";
import { isNode, shownColumns, type ShownNode } from "./nodes.ts";

const isDocument = eq(dataSourceNodes.nodeType, "document");

// Each is the condition of a partial index, divided aside.
const states: Readonly<Record<DivisionState, SQL | undefined>> = {
  waiting: and(isNull(dataSourceNodes.dividedAt), isDocument),
  failed: isNotNull(dataSourceNodes.divisionFailure),
  divided: and(
    isNotNull(dataSourceNodes.dividedAt),
    isNull(dataSourceNodes.divisionFailure),
    isDocument,
  ),
};

/**
 * Lists the nodes of a data source that the caller reaches, without their texts, by their ids. Throws
 * `data_source_view_not_found`.
 */
export async function listDataSourceNodes(
  context: RequestContext,
  input: ListDataSourceNodes,
): Promise<AdministeredNodePage> {
  const { db } = context.database;
  const { id: workspaceId } = await administeredWorkspace(context, db, input.wId);
  const named = eq(dataSourceViews.sid, input.dataSourceViewId);
  const { caller } = context;
  const [reached] = await selectReachedViews(db, { caller, workspaceId }, named);
  if (reached === undefined) throw viewNotFound("dataSourceViewId");
  const { view } = reached;
  const ofView = eq(dataSourceNodes.viewId, view.id);
  const { state, lastValue, limit } = input;
  const rows = await db
    .select(shownColumns)
    .from(dataSourceNodes)
    .where(
      and(
        ofView,
        state === undefined ? undefined : states[state],
        lastValue === undefined ? undefined : gt(dataSourceNodes.nodeId, lastValue),
      ),
    )
    .orderBy(asc(dataSourceNodes.nodeId))
    .limit(limit + 1);
  const { page, end } = takePage(rows, input, ({ nodeId }) => nodeId);
  const waiting = await db.$count(dataSourceNodes, and(ofView, states.waiting));
  const failed = await db.$count(dataSourceNodes, and(ofView, states.failed));
  const totals = { nodes: view.nodeCount, bytes: view.contentBytes, waiting, failed };
  return { nodes: page.map(renderNode), totals, ...end };
}

/**
 * Has a document divided again: it is found as before until it is. Throws `data_source_view_not_found` and
 * `data_source_document_not_found`.
 */
export async function divideDataSourceNode(
  context: RequestContext,
  input: NodeIdentity,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const view = await requireView(context, db, input);
    const [waiting] = await db
      .update(dataSourceNodes)
      .set({ dividedAt: null, divisionFailure: null })
      .where(and(isNode(view, input.nodeId), isDocument))
      .returning({ nodeId: dataSourceNodes.nodeId });
    if (waiting === undefined) throw unknownNode();
    return { success: true };
  });
}

function renderNode(node: ShownNode): AdministeredNode {
  const { nodeId, nodeType, title, contentType, contentBytes: bytes, tags, sourceUrl } = node;
  const { timestamp, updatedAt, dividedAt: endedAt, divisionFailure: failure } = node;
  const state = endedAt === null ? "waiting" : failure === null ? "divided" : "failed";
  const division = nodeType === "document" ? ({ state, failure, endedAt } as const) : null;
  return {
    nodeId,
    nodeType,
    title,
    contentType,
    bytes,
    tags,
    sourceUrl,
    timestamp,
    updatedAt,
    division,
  };
}
