import { apiKeys, apiKeySpaces, type Queryable, spaces } from "@parley/db";
import {
  type CreateSpace,
  ParleyError,
  type Space,
  type SpaceWithKeys,
  type UpdateSpace,
} from "@parley/schema";
import { and, asc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { type Context, inTransaction, type RequestContext } from "./context.ts";
import type { ApiKeyRow, SpaceRow } from "./rows.ts";

/** The condition that a key reaches the space of the row: it is open, or given to the key. */
export function reachesSpace(apiKey: ApiKeyRow): SQL | undefined {
  return or(
    eq(spaces.isRestricted, false),
    sql`exists (select 1 from ${apiKeySpaces} where ${and(
      eq(apiKeySpaces.apiKeyId, apiKey.id),
      eq(apiKeySpaces.spaceId, spaces.id),
    )})`,
  );
}

/** The space that the caller's key reaches under this id. Throws `space_not_found` (400). */
export async function requireSpace(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<SpaceRow> {
  const { apiKey, workspace } = context.caller;
  const [row] = await db
    .select()
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspace.id), eq(spaces.sid, sid), reachesSpace(apiKey)));
  if (row === undefined) throw spaceNotFound();
  return row;
}

function spaceNotFound(): ParleyError {
  return new ParleyError("space_not_found", "spaceId: the workspace has no such space");
}

/** Lists the spaces that the caller's key reaches, by name. */
export async function listSpaces(context: Context): Promise<{ spaces: Space[] }> {
  const { apiKey, workspace } = context.caller;
  const rows = await context.database.db
    .select()
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspace.id), reachesSpace(apiKey)))
    .orderBy(asc(spaces.name), asc(spaces.sid));
  return { spaces: rows.map(renderSpace) };
}

/** Creates a space. A restricted one is reached by the given keys alone. */
export async function createSpace(
  context: RequestContext,
  input: CreateSpace,
): Promise<SpaceWithKeys> {
  return inTransaction(context, async ({ db, made }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const now = context.now();
    const [row] = await db
      .insert(spaces)
      .values({
        sid: context.newId("vlt"),
        workspaceId: workspace.id,
        name: input.name,
        kind: "regular",
        isRestricted: input.isRestricted ?? false,
        createdAt: now,
        updatedAt: now,
      })
      .returning();
    if (row === undefined) throw new Error("The space was not written");
    made(row.sid);
    await setSpaceKeys(db, row, input.keyIds);
    return renderWithKeys(db, row);
  });
}

/** Changes a space, and which keys reach it. Throws `space_not_found`. */
export async function updateSpace(
  context: RequestContext,
  input: UpdateSpace,
): Promise<SpaceWithKeys> {
  return inTransaction(context, async ({ db }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { name, isRestricted } = input;
    const [row] = await db
      .update(spaces)
      .set({
        updatedAt: context.now(),
        ...(name !== undefined && { name }),
        ...(isRestricted !== undefined && { isRestricted }),
      })
      .where(and(eq(spaces.workspaceId, workspace.id), eq(spaces.sid, input.spaceId)))
      .returning();
    if (row === undefined) throw spaceNotFound();
    await setSpaceKeys(db, row, input.keyIds);
    return renderWithKeys(db, row);
  });
}

async function setSpaceKeys(
  db: Queryable,
  space: SpaceRow,
  keyIds: readonly string[] | undefined,
): Promise<void> {
  if (keyIds === undefined) return;
  const wanted = [...new Set(keyIds)];
  const found = await db
    .select({ id: apiKeys.id, sid: apiKeys.sid })
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, space.workspaceId), inArray(apiKeys.sid, wanted)));
  const missing = wanted.find((sid) => !found.some((key) => key.sid === sid));
  if (missing !== undefined) {
    throw new ParleyError("api_key_not_found", `keyIds: the workspace has no key ${missing}`);
  }
  await db.delete(apiKeySpaces).where(eq(apiKeySpaces.spaceId, space.id));
  if (found.length === 0) return;
  await db
    .insert(apiKeySpaces)
    .values(found.map(({ id }) => ({ apiKeyId: id, spaceId: space.id })));
}

async function renderWithKeys(db: Queryable, row: SpaceRow): Promise<SpaceWithKeys> {
  const keys = await db
    .select({ sid: apiKeys.sid })
    .from(apiKeySpaces)
    .innerJoin(apiKeys, eq(apiKeys.id, apiKeySpaces.apiKeyId))
    .where(eq(apiKeySpaces.spaceId, row.id))
    .orderBy(asc(apiKeys.id));
  return { space: renderSpace(row), keyIds: keys.map(({ sid }) => sid) };
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
