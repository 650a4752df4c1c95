import { createHash } from "node:crypto";
import {
  dataSourceNodes,
  dataSourceTables,
  dataSourceViews,
  type Queryable,
  spaces,
} from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import { reachesSpace } from "../access/space-reach.ts";
import type { Context, Process } from "../context.ts";
import type { KnowledgeServices, ViewRow } from "./data-sources.ts";
import { isShown } from "./views.ts";

type StoredNode = typeof dataSourceNodes.$inferSelect;

/** A node without what it is found by, which is large. */
export type NodeRow = Omit<StoredNode, "search">;

/** What uploads say of a node. */
export type NodeValues = Pick<NodeRow, "nodeId" | "nodeType" | "title" | "contentType"> &
  Partial<
    Pick<NodeRow, "content" | "sourceUrl" | "tags" | "parents" | "timestamp" | "providerVisibility">
  >;

/** The columns of a node but `content` and what it is found by. */
export const shownColumns = {
  viewId: dataSourceNodes.viewId,
  nodeId: dataSourceNodes.nodeId,
  nodeType: dataSourceNodes.nodeType,
  title: dataSourceNodes.title,
  contentType: dataSourceNodes.contentType,
  contentHash: dataSourceNodes.contentHash,
  sourceUrl: dataSourceNodes.sourceUrl,
  tags: dataSourceNodes.tags,
  parents: dataSourceNodes.parents,
  timestamp: dataSourceNodes.timestamp,
  providerVisibility: dataSourceNodes.providerVisibility,
  createdAt: dataSourceNodes.createdAt,
  updatedAt: dataSourceNodes.updatedAt,
  dividedAt: dataSourceNodes.dividedAt,
  divisionFailure: dataSourceNodes.divisionFailure,
  /** Bytes of the content, which is not read for it. */
  contentBytes: sql<number>`octet_length(${dataSourceNodes.content})`.mapWith(Number),
};

/** A node without its content. */
export type ShownNode = Omit<NodeRow, "content" | "embeddedSet"> & {
  readonly contentBytes: number;
};

/** The condition that the row is this node of a data source. */
export const isNode = (view: ViewRow, nodeId: string) =>
  and(eq(dataSourceNodes.viewId, view.id), eq(dataSourceNodes.nodeId, nodeId));

/**
 * Writes a node of a locked data source, in place of the one of the same id, with its rows if that is a table, unless
 * `keepsRows`. Throws `data_source_quota_error`.
 */
export async function writeNode(
  context: Pick<Process, "now"> & KnowledgeServices,
  db: Queryable,
  { view, values, keepsRows = false }: { view: ViewRow; values: NodeValues; keepsRows?: boolean },
): Promise<ShownNode> {
  const now = context.now();
  const { content = "", nodeId } = values;
  const contentBytes = Buffer.byteLength(content);
  const before = await findShownNode(db, view, nodeId);
  const isTable = before?.nodeType === "table" && !keepsRows;
  const droppedBytes = isTable ? await dropTable(db, view, nodeId) : 0;
  const changed = {
    content,
    contentHash: createHash("sha256").update(content).digest("hex"),
    sourceUrl: null,
    tags: [],
    parents: [nodeId],
    timestamp: now,
    providerVisibility: null,
    ...values,
    updatedAt: now,
    dividedAt: null,
    divisionFailure: null,
  };
  const added = {
    nodes: before === undefined ? 1 : 0,
    bytes: contentBytes - (before?.contentBytes ?? 0) - droppedBytes,
  };
  await countAdded(context, db, { view, added });
  const createdAt = before?.createdAt ?? now;
  const row = { viewId: view.id, ...changed, createdAt };
  await db
    .insert(dataSourceNodes)
    .values(row)
    .onConflictDoUpdate({
      target: [dataSourceNodes.viewId, dataSourceNodes.nodeId],
      set: changed,
    });
  return { ...row, contentBytes };
}

/** Deletes a node of a locked data source. Gives whether there was one. */
export async function deleteNode(
  db: Queryable,
  { view, nodeId, type }: { view: ViewRow; nodeId: string; type?: NodeRow["nodeType"] },
): Promise<boolean> {
  const ofType = type === undefined ? undefined : eq(dataSourceNodes.nodeType, type);
  const [deleted] = await db
    .delete(dataSourceNodes)
    .where(and(isNode(view, nodeId), ofType))
    .returning({ bytes: nodeBytes });
  if (deleted === undefined) return false;
  await addToCounts(db, view, { nodes: -1, bytes: -deleted.bytes });
  return true;
}

/** The bytes of the node of a statement, with those of the rows of a table. */
const nodeBytes = sql<number>`octet_length(${dataSourceNodes.content}) + coalesce((
  select t.row_bytes from data_source_tables t
  where t.view_id = "data_source_nodes"."view_id" and t.node_id = "data_source_nodes"."node_id"), 0)`.mapWith(
  Number,
);

/** Deletes what a table has beside its node. Gives the bytes of its rows. */
async function dropTable(db: Queryable, view: ViewRow, nodeId: string): Promise<number> {
  const { viewId, nodeId: ofNode, rowBytes } = dataSourceTables;
  const [dropped] = await db
    .delete(dataSourceTables)
    .where(and(eq(viewId, view.id), eq(ofNode, nodeId)))
    .returning({ rowBytes });
  return dropped?.rowBytes ?? 0;
}

interface Added {
  readonly nodes: number;
  readonly bytes: number;
}

/**
 * Counts what is written into a locked data source. What makes it smaller is never refused. Throws
 * `data_source_quota_error`.
 */
export async function countAdded(
  { dataSourceLimits: limits }: KnowledgeServices,
  db: Queryable,
  { view, added }: { view: ViewRow; added: Added },
): Promise<void> {
  const refuse = (what: string) => new ParleyError("data_source_quota_error", what);
  if (added.nodes > 0 && view.nodeCount >= limits.nodes) {
    throw refuse(
      `The data source has its maximum of ${limits.nodes} documents, tables and folders`,
    );
  }
  const left = Math.max(0, limits.bytes - view.contentBytes);
  if (added.bytes > left) {
    const need = `this needs ${added.bytes} more, and ${left} are left`;
    throw refuse(`The texts of the data source may have ${limits.bytes} bytes in all: ${need}`);
  }
  await addToCounts(db, view, added);
}

async function addToCounts(db: Queryable, view: ViewRow, { nodes, bytes }: Added): Promise<void> {
  const { nodeCount, contentBytes } = dataSourceViews;
  await db
    .update(dataSourceViews)
    .set({ nodeCount: sql`${nodeCount} + ${nodes}`, contentBytes: sql`${contentBytes} + ${bytes}` })
    .where(eq(dataSourceViews.id, view.id));
}

/** A node of a data source without its content. */
export async function findShownNode(
  db: Queryable,
  view: ViewRow,
  nodeId: string,
): Promise<ShownNode | undefined> {
  const [row] = await db.select(shownColumns).from(dataSourceNodes).where(isNode(view, nodeId));
  return row;
}

/** A node that a view shows to the caller's key, with its view and space. Undefined when there is none. */
export async function findNode(
  db: Queryable,
  context: Context,
  { viewId, nodeId }: { viewId: string; nodeId: string },
): Promise<
  | {
      node: Pick<NodeRow, "nodeType" | "contentType" | "content" | "sourceUrl">;
      view: ViewRow;
      spaceName: string;
    }
  | undefined
> {
  const { caller } = context;
  const { nodeType, contentType, content, sourceUrl } = dataSourceNodes;
  const [row] = await db
    .select({
      node: { nodeType, contentType, content, sourceUrl },
      view: dataSourceViews,
      spaceName: spaces.name,
    })
    .from(dataSourceNodes)
    .innerJoin(dataSourceViews, eq(dataSourceViews.id, dataSourceNodes.viewId))
    .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
    .where(
      and(
        eq(dataSourceViews.workspaceId, caller.workspace.id),
        eq(dataSourceViews.sid, viewId),
        eq(dataSourceNodes.nodeId, nodeId),
        isShown(),
        reachesSpace(caller),
      ),
    );
  return row;
}
