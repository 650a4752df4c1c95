import { type Queryable, savedViews } from "@parley/db";
import {
  type CreateSavedView,
  invalidRequest,
  type ListSavedViews,
  MAX_SAVED_VIEWS,
  type OneSavedView,
  ParleyError,
  type SavedView,
  type SavedViewPage,
  type Success,
  type UpdateSavedView,
  type VersionedSavedView,
} from "@parley/schema";
import { and, asc, eq, isNull, ne, or, type SQL } from "drizzle-orm";
import { seesAllOfWorkspace } from "../access/ownership.ts";
import type { Caller, RequestContext } from "../context.ts";
import { isAfter, takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import {
  administeredWorkspace,
  editorOf,
  requireVersion,
} from "../workspaces/administered-workspace.ts";

type SavedViewRow = typeof savedViews.$inferSelect;

/** The condition that a view is the caller's; operators have theirs together. */
function isOwn(caller: Caller): SQL {
  const ownerId = editorOf(caller);
  return ownerId === null ? isNull(savedViews.ownerId) : eq(savedViews.ownerId, ownerId);
}

function render(caller: Caller, row: SavedViewRow): SavedView {
  const { sid: sId, name, query, isShared, ownerId, version, createdAt, updatedAt } = row;
  const page = row.page as SavedView["page"];
  const own = ownerId === editorOf(caller);
  return { sId, page, name, query, isShared, isOwn: own, version, createdAt, updatedAt };
}

/** Lists the caller's views and the shared ones, the oldest first, a page at a time. */
export async function listSavedViews(
  context: RequestContext,
  input: ListSavedViews,
): Promise<SavedViewPage> {
  const { caller, database } = context;
  const workspace = await administeredWorkspace(context, database.db, input.wId);
  const rows = await database.db
    .select()
    .from(savedViews)
    .where(
      and(
        eq(savedViews.workspaceId, workspace.id),
        or(isOwn(caller), eq(savedViews.isShared, true)),
        input.page && eq(savedViews.page, input.page),
        isAfter(savedViews.id, input),
      ),
    )
    .orderBy(asc(savedViews.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return { savedViews: page.map((row) => render(caller, row)), ...end };
}

/**
 * Saves the state of a page. Throws `invalid_request_error` for one too many and for a name that the caller has for the
 * page already, and `app_auth_error` for a shared one of who is not a builder.
 */
export async function createSavedView(
  context: RequestContext,
  { wId, ...view }: CreateSavedView,
): Promise<OneSavedView> {
  const { caller } = context;
  requireMaySharing(caller, view.isShared);
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, wId);
    const ofOwner = and(eq(savedViews.workspaceId, workspace.id), isOwn(caller));
    if ((await db.$count(savedViews, ofOwner)) >= MAX_SAVED_VIEWS) {
      const message = `you have ${MAX_SAVED_VIEWS} saved views: remove some`;
      throw invalidRequest("body", [{ path: "", message }]);
    }
    const times = { createdAt: context.now(), updatedAt: context.now() };
    const sid = context.newId("svw");
    const ownerId = editorOf(caller);
    const [row] = await db
      .insert(savedViews)
      .values({ ...view, ...times, sid, ownerId, workspaceId: workspace.id })
      .onConflictDoNothing()
      .returning();
    if (row === undefined) throw nameTaken();
    markCreated(sid);
    return { savedView: render(caller, row) };
  });
}

/** Changes a view of the caller. Throws `saved_view_not_found`, `version_conflict`, and like `createSavedView`. */
export async function updateSavedView(
  context: RequestContext,
  input: UpdateSavedView,
): Promise<OneSavedView> {
  const { caller } = context;
  const { wId, savedViewId, version, ...changes } = input;
  requireMaySharing(caller, changes.isShared);
  return inTransaction(context, async ({ db }) => {
    const row = await requireOwnView(context, db, { wId, savedViewId });
    requireVersion("view", row, version);
    if (changes.name !== undefined) await requireFreeName(db, { row, name: changes.name });
    const [changed] = await db
      .update(savedViews)
      .set({ ...changes, version: row.version + 1, updatedAt: context.now() })
      .where(eq(savedViews.id, row.id))
      .returning();
    return { savedView: render(caller, changed ?? row) };
  });
}

/** Removes a view of the caller. Throws `saved_view_not_found` and `version_conflict`. */
export async function removeSavedView(
  context: RequestContext,
  { version, ...named }: VersionedSavedView,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const row = await requireOwnView(context, db, named);
    requireVersion("view", row, version);
    await db.delete(savedViews).where(eq(savedViews.id, row.id));
    return { success: true };
  });
}

/** Deletes the views of a workspace that is being deleted. */
export async function deleteSavedViews(db: Queryable, workspaceId: number): Promise<void> {
  await db.delete(savedViews).where(eq(savedViews.workspaceId, workspaceId));
}

function requireMaySharing(caller: Caller, isShared: boolean | undefined): void {
  if (isShared !== true || caller.kind === "operator" || seesAllOfWorkspace(caller)) return;
  throw new ParleyError("app_auth_error", "isShared: only builders and admins may share a view");
}

/** A locked view. A shared view of others is seen, and theirs to change; what is not seen is not found. */
async function requireOwnView(
  context: RequestContext,
  db: Queryable,
  { wId, savedViewId }: { wId: string; savedViewId: string },
): Promise<SavedViewRow> {
  const { caller } = context;
  const workspace = await administeredWorkspace(context, db, wId);
  const named = and(eq(savedViews.workspaceId, workspace.id), eq(savedViews.sid, savedViewId));
  const isSeen = or(isOwn(caller), eq(savedViews.isShared, true));
  const [row] = await db.select().from(savedViews).where(and(named, isSeen)).for("update");
  if (row === undefined) {
    throw new ParleyError("saved_view_not_found", "savedViewId: you see no such saved view");
  }
  if (row.ownerId === editorOf(caller) || mayRemoveOthers(caller)) return row;
  throw new ParleyError("app_auth_error", "savedViewId: only its owner and admins may change it");
}

/** Whether a caller may change shared views of others: their owners may be gone. */
function mayRemoveOthers(caller: Caller): boolean {
  return caller.kind === "operator" || caller.apiKey.role === "admin";
}

async function requireFreeName(
  db: Queryable,
  { row, name }: { row: SavedViewRow; name: string },
): Promise<void> {
  const { ownerId } = row;
  const taken = and(
    eq(savedViews.workspaceId, row.workspaceId),
    ownerId === null ? isNull(savedViews.ownerId) : eq(savedViews.ownerId, ownerId),
    eq(savedViews.page, row.page),
    eq(savedViews.name, name),
    ne(savedViews.id, row.id),
  );
  if ((await db.$count(savedViews, taken)) > 0) throw nameTaken();
}

function nameTaken(): ParleyError {
  const message = "a view of this page has this name already";
  return invalidRequest("body", [{ path: "name", message }]);
}
