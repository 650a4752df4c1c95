import { apiKeys, apiKeySpaces, insertRow, type Queryable, replaceRows, spaces } from "@parley/db";
import {
  type CreateSpace,
  type ListAllSpaces,
  type ListSpaces,
  ParleyError,
  type Space,
  type SpacePage,
  type SpaceWithKeys,
  type UpdateSpace,
} from "@parley/schema";
import { and, asc, eq, gt, inArray, isNull } from "drizzle-orm";
import { reachesSpace, spaceNotFound } from "../access/space-reach.ts";
import type { Context, RequestContext } from "../context.ts";
import type { SpaceRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireFound } from "./administered-workspace.ts";
import { takePage } from "../data-access/pages.ts";

/** Lists the spaces that the caller's key reaches, of the asked kinds, by name. */
export async function listSpaces(
  context: Context,
  { kinds }: ListSpaces,
): Promise<{ spaces: Space[] }> {
  const { caller } = context;
  const rows = await context.database.db
    .select()
    .from(spaces)
    .where(
      and(
        eq(spaces.workspaceId, caller.workspace.id),
        kinds && inArray(spaces.kind, kinds),
        reachesSpace(caller),
      ),
    )
    .orderBy(asc(spaces.name), asc(spaces.sid));
  return { spaces: rows.map(renderSpace) };
}

/** Creates a space. Only the given keys reach a restricted one. */
export async function createSpace(
  context: RequestContext,
  input: CreateSpace,
): Promise<SpaceWithKeys> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const now = context.now();
    const row = await insertRow(db, spaces, {
      sid: context.newId("vlt"),
      workspaceId: workspace.id,
      name: input.name,
      kind: "regular",
      isRestricted: input.isRestricted ?? false,
      createdAt: now,
      updatedAt: now,
    });
    markCreated(row.sid);
    await setSpaceKeys(db, row, input.keyIds);
    return renderWithKeys(db, row);
  });
}

/** Changes a space, and which keys reach it. Throws `space_not_found`. */
export async function updateSpace(
  context: RequestContext,
  input: UpdateSpace,
): Promise<SpaceWithKeys> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const { name, isRestricted } = input;
    // Open streams are checked again: their keys may no longer reach the space.
    if (isRestricted !== undefined || input.keyIds !== undefined)
      afterCommit.push({ topic: "keys" });
    const [row] = await db
      .update(spaces)
      .set({ name, isRestricted, updatedAt: context.now() })
      .where(
        and(
          eq(spaces.workspaceId, workspace.id),
          eq(spaces.sid, input.spaceId),
          isNull(spaces.deletedAt),
        ),
      )
      .returning();
    if (row === undefined) throw spaceNotFound();
    await setSpaceKeys(db, row, input.keyIds);
    return renderWithKeys(db, row);
  });
}

/** Reads a space, also one that the caller's key does not reach. Throws `space_not_found`. */
export async function getSpace(
  context: RequestContext,
  { wId, spaceId }: { wId: string; spaceId: string },
): Promise<SpaceWithKeys> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const named = and(eq(spaces.sid, spaceId), isNull(spaces.deletedAt));
  const [row] = await db
    .select()
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspace.id), named));
  if (row === undefined) throw spaceNotFound();
  return renderWithKeys(db, row);
}

/** Lists the spaces of a workspace, whatever the caller's key reaches, the oldest first. */
export async function listAllSpaces(
  context: RequestContext,
  { wId, limit, lastValue }: ListAllSpaces,
): Promise<SpacePage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const isLater = lastValue === undefined ? undefined : gt(spaces.id, Number(lastValue));
  const rows = await db
    .select()
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspace.id), isNull(spaces.deletedAt), isLater))
    .orderBy(asc(spaces.id))
    .limit(limit + 1);
  const { page, end } = takePage(rows, { limit }, ({ id }) => id);
  const keyIds = await findKeyIds(db, page);
  return {
    spaces: page.map((row) => ({ ...renderSpace(row), keyIds: keyIds.get(row.id) ?? [] })),
    ...end,
  };
}

/** The public ids of the keys that were given access to spaces, by the number of the space. */
async function findKeyIds(
  db: Queryable,
  rows: readonly SpaceRow[],
): Promise<Map<number, string[]>> {
  const ids = rows.map(({ id }) => id);
  const found = await db
    .select({ spaceId: apiKeySpaces.spaceId, sid: apiKeys.sid })
    .from(apiKeySpaces)
    .innerJoin(apiKeys, eq(apiKeys.id, apiKeySpaces.apiKeyId))
    .where(inArray(apiKeySpaces.spaceId, ids))
    .orderBy(asc(apiKeys.id));
  const bySpace = new Map<number, string[]>();
  for (const { spaceId, sid } of found) {
    bySpace.getOrInsertComputed(spaceId, () => []).push(sid);
  }
  return bySpace;
}

async function setSpaceKeys(
  db: Queryable,
  space: SpaceRow,
  keyIds: readonly string[] | undefined,
): Promise<void> {
  if (keyIds === undefined) return;
  const found = await db
    .select({ id: apiKeys.id, sid: apiKeys.sid })
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, space.workspaceId), inArray(apiKeys.sid, [...keyIds])));
  const named = requireFound(found, keyIds, (sid) => {
    return new ParleyError("api_key_not_found", `keyIds: the workspace has no key ${sid}`);
  });
  await replaceRows(db, apiKeySpaces, {
    where: eq(apiKeySpaces.spaceId, space.id),
    rows: named.map(({ id }) => ({ apiKeyId: id, spaceId: space.id })),
  });
}

async function renderWithKeys(db: Queryable, row: SpaceRow): Promise<SpaceWithKeys> {
  const keyIds = await findKeyIds(db, [row]);
  return { space: renderSpace(row), keyIds: keyIds.get(row.id) ?? [] };
}

function renderSpace(row: SpaceRow): Space {
  return {
    createdAt: row.createdAt,
    groupIds: [],
    isRestricted: row.isRestricted,
    kind: row.kind as Space["kind"],
    name: row.name,
    sId: row.sid,
    updatedAt: row.updatedAt,
  };
}
