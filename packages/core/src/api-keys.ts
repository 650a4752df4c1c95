import { apiKeys, apiKeySpaces, type Queryable, spaces, users } from "@parley/db";
import {
  type ApiKey,
  type CreateApiKey,
  type CreatedApiKey,
  ParleyError,
  type Role,
  type Success,
  type UpdateApiKey,
  type WorkspaceRole,
} from "@parley/schema";
import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { type Core, inTransaction, type RequestContext } from "./context.ts";
import { generateApiKey, hashApiKey, isMistyped, requireKeyForm } from "./key-secrets.ts";
import type { ApiKeyRow } from "./rows.ts";
import { createServiceUser } from "./users.ts";

export interface NewApiKey {
  /** The workspace; none for an operator key. */
  readonly workspaceId: number | null;
  readonly name: string;
  readonly role: Role;
  readonly secret: string;
  readonly expiresAt?: number | undefined;
}

/** Writes a key and, for a workspace's, its service user. Throws when the secret has a bad form. */
export async function insertApiKey(core: Core, db: Queryable, key: NewApiKey): Promise<ApiKeyRow> {
  const { workspaceId, name, secret } = key;
  requireKeyForm(secret, name);
  const user =
    workspaceId === null ? undefined : await createServiceUser(core, db, { workspaceId, name });
  const [row] = await db
    .insert(apiKeys)
    .values({
      sid: core.newId("key"),
      workspaceId,
      userId: user?.id ?? null,
      name,
      hash: hashApiKey(secret),
      looksMistyped: isMistyped(secret),
      role: key.role,
      createdAt: core.now(),
      expiresAt: key.expiresAt ?? null,
    })
    .returning();
  if (row === undefined) throw new Error("The key was not written");
  return row;
}

/** Creates a key of a workspace. Its secret is in the answer and nowhere else. */
export async function createApiKey(
  context: RequestContext,
  input: CreateApiKey,
): Promise<CreatedApiKey> {
  const secret = generateApiKey();
  const apiKey = await inTransaction(context, async ({ db, made }) => {
    const workspace = await administeredWorkspace(context, db, input.workspaceId);
    const { name, role, expiresAt } = input;
    const key = { workspaceId: workspace.id, name, role, expiresAt, secret };
    const row = await insertApiKey(context, db, key);
    made(row.sid);
    await setKeySpaces(db, row, input.spaceIds);
    return readApiKey(db, row.id);
  });
  return { apiKey, secret };
}

/** Changes a key. The change is in force here at once, in other processes within seconds. */
export async function updateApiKey(
  context: RequestContext,
  input: UpdateApiKey,
): Promise<{ apiKey: ApiKey }> {
  const apiKey = await inTransaction(context, async ({ db, afterCommit }) => {
    const row = await requireKey(context, db, input);
    const { role, expiresAt, disabled } = input;
    const change = {
      ...(role !== undefined && { role }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(disabled !== undefined && { disabledAt: disabled ? context.now() : null }),
    };
    if (Object.keys(change).length > 0) {
      await db.update(apiKeys).set(change).where(eq(apiKeys.id, row.id));
    }
    await setKeySpaces(db, row, input.spaceIds);
    afterCommit.push({ topic: "keys" });
    return readApiKey(db, row.id);
  });
  return { apiKey };
}

/** Revokes a key for good. Revoking it again changes nothing. */
export async function revokeApiKey(
  context: RequestContext,
  input: { workspaceId: string; keyId: string },
): Promise<Success> {
  await inTransaction(context, async ({ db, afterCommit }) => {
    const row = await requireKey(context, db, input);
    await db
      .update(apiKeys)
      .set({ revokedAt: context.now() })
      .where(and(eq(apiKeys.id, row.id), isNull(apiKeys.revokedAt)));
    afterCommit.push({ topic: "keys" });
  });
  return { success: true };
}

/** Lists the keys of a workspace, the oldest first, without their secrets. */
export async function listApiKeys(
  context: RequestContext,
  input: { workspaceId: string },
): Promise<{ apiKeys: ApiKey[] }> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.workspaceId);
  return { apiKeys: await readApiKeys(db, eq(apiKeys.workspaceId, workspace.id)) };
}

/** The workspace's key with this id. Throws `api_key_not_found`. */
export async function requireKey(
  context: RequestContext,
  db: Queryable,
  { workspaceId, keyId }: { workspaceId: string; keyId: string },
): Promise<ApiKeyRow> {
  const workspace = await administeredWorkspace(context, db, workspaceId);
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, workspace.id), eq(apiKeys.sid, keyId)));
  if (row === undefined) {
    throw new ParleyError("api_key_not_found", `The workspace has no key ${keyId}`);
  }
  return row;
}

async function setKeySpaces(
  db: Queryable,
  key: ApiKeyRow,
  spaceIds: readonly string[] | undefined,
): Promise<void> {
  if (spaceIds === undefined || key.workspaceId === null) return;
  const wanted = [...new Set(spaceIds)];
  const found = await db
    .select({ id: spaces.id, sid: spaces.sid })
    .from(spaces)
    .where(and(eq(spaces.workspaceId, key.workspaceId), inArray(spaces.sid, wanted)));
  const missing = wanted.find((sid) => !found.some((space) => space.sid === sid));
  if (missing !== undefined) {
    throw new ParleyError("space_not_found", `spaceIds: the workspace has no space ${missing}`);
  }
  await db.delete(apiKeySpaces).where(eq(apiKeySpaces.apiKeyId, key.id));
  if (found.length === 0) return;
  await db.insert(apiKeySpaces).values(found.map(({ id }) => ({ apiKeyId: key.id, spaceId: id })));
}

async function readApiKey(db: Queryable, id: number): Promise<ApiKey> {
  const [key] = await readApiKeys(db, eq(apiKeys.id, id));
  if (key === undefined) throw new Error(`There is no key ${id}`);
  return key;
}

async function readApiKeys(db: Queryable, condition: ReturnType<typeof eq>): Promise<ApiKey[]> {
  const rows = await db
    .select({ key: apiKeys, userId: users.sid, spaceId: spaces.sid })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .leftJoin(apiKeySpaces, eq(apiKeySpaces.apiKeyId, apiKeys.id))
    .leftJoin(spaces, eq(spaces.id, apiKeySpaces.spaceId))
    .where(condition)
    .orderBy(asc(apiKeys.id), asc(spaces.id));
  return Map.groupBy(rows, ({ key }) => key.id)
    .values()
    .map((ofKey) =>
      renderApiKey(
        ofKey[0]!,
        ofKey.flatMap(({ spaceId }) => spaceId ?? []),
      ),
    )
    .toArray();
}

function renderApiKey(
  { key: row, userId }: { key: ApiKeyRow; userId: string },
  spaceIds: string[],
): ApiKey {
  return {
    sId: row.sid,
    name: row.name,
    userId,
    role: row.role as WorkspaceRole,
    spaceIds,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    disabledAt: row.disabledAt,
    revokedAt: row.revokedAt,
  };
}
