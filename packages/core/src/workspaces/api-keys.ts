import {
  apiKeys,
  apiKeySpaces,
  insertRow,
  type Queryable,
  replaceRows,
  spaces,
  users,
  workspaces,
} from "@parley/db";
import {
  type ApiKey,
  type CreateApiKey,
  type CreatedApiKey,
  ParleyError,
  type Role,
  type RotateApiKey,
  type RotatedApiKey,
  type Success,
  type UpdateApiKey,
  type WorkspaceRole,
} from "@parley/schema";
import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { generateApiKey, hashSecret, isMistyped, requireKeyForm } from "../access/key-secrets.ts";
import type { Process, RequestContext } from "../context.ts";
import type { ApiKeyRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireFound } from "./administered-workspace.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { createServiceUser } from "./users.ts";

/** Each key has limits and cache entries of its own, so their number is bounded. */
const MAX_KEYS = 1000;

export interface NewApiKey {
  /** The workspace; none for an operator key. */
  readonly workspaceId: number | null;
  readonly name: string;
  readonly role: Role;
  readonly secret: string;
  /** The OpenID Connect issuer that the key stands for. */
  readonly issuer?: string | undefined;
  readonly expiresAt?: number | undefined;
}

/** Writes a key and, for a workspace's key, its service user. Throws for a malformed secret. */
export async function insertApiKey(
  core: Process,
  db: Queryable,
  key: NewApiKey,
): Promise<ApiKeyRow> {
  const { workspaceId, name, secret } = key;
  requireKeyForm(secret, name);
  const user =
    workspaceId === null ? undefined : await createServiceUser(core, db, { workspaceId, name });
  return insertRow(db, apiKeys, {
    sid: core.newId("key"),
    workspaceId,
    userId: user?.id,
    name,
    hash: hashSecret(secret),
    looksMistyped: isMistyped(secret),
    role: key.role,
    issuer: key.issuer,
    createdAt: core.now(),
    expiresAt: key.expiresAt,
  });
}

/** Creates a key of a workspace. Only this response holds its secret. */
export async function createApiKey(
  context: RequestContext,
  input: CreateApiKey,
): Promise<CreatedApiKey> {
  const secret = generateApiKey();
  const apiKey = await inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    await requireRoomForKey(db, workspace.id);
    const { name, role, expiresAt } = input;
    const key = { workspaceId: workspace.id, name, role, expiresAt, secret };
    const row = await insertApiKey(context, db, key);
    markCreated(row.sid);
    await setKeySpaces(db, row, input.spaceIds);
    return readApiKey(db, row.id);
  });
  return { apiKey, secret };
}

/**
 * Throws `invalid_request_error` if the workspace has `MAX_KEYS`. Disabled and expired keys count,
 * because they can be used again.
 */
async function requireRoomForKey(db: Queryable, workspaceId: number): Promise<void> {
  // Keys that are created at the same time are counted one after the other.
  await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for("no key update");
  const ofWorkspace = and(eq(apiKeys.workspaceId, workspaceId), isNull(apiKeys.revokedAt));
  if ((await db.$count(apiKeys, ofWorkspace)) < MAX_KEYS) return;
  throw new ParleyError(
    "invalid_request_error",
    `workspaceId: the workspace has ${MAX_KEYS} keys: revoke unused ones`,
  );
}

/** Changes a key: in this process at once, in others within seconds. */
export async function updateApiKey(
  context: RequestContext,
  input: UpdateApiKey,
): Promise<{ apiKey: ApiKey }> {
  const apiKey = await inTransaction(context, async ({ db, afterCommit }) => {
    const row = await requireKey(context, db, input);
    const { role, expiresAt, disabled } = input;
    const disabledAt = disabled ? context.now() : null;
    await db
      .update(apiKeys)
      .set({
        role: role ?? row.role,
        expiresAt,
        disabledAt: disabled === undefined ? undefined : disabledAt,
      })
      .where(eq(apiKeys.id, row.id));
    await setKeySpaces(db, row, input.spaceIds);
    afterCommit.push({ topic: "keys", workspaceId: row.workspaceId });
    return readApiKey(db, row.id);
  });
  return { apiKey };
}

/** Gives a key a new secret, which only this response holds; the one before ends after the overlap. */
export async function rotateApiKey(
  context: RequestContext,
  input: RotateApiKey,
): Promise<RotatedApiKey> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const { id: keyId } = await requireKey(context, db, input);
    const { overlapSeconds } = input;
    const rotated = await rotateSecret(context, transaction, { keyId, overlapSeconds });
    return { apiKey: await readApiKey(db, keyId), ...rotated };
  });
}

/** Revokes a key permanently. Revoking it again changes nothing. */
export async function revokeApiKey(
  context: RequestContext,
  input: { wId: string; keyId: string },
): Promise<Success> {
  await inTransaction(context, async ({ db, afterCommit }) => {
    const row = await requireKey(context, db, input);
    await db
      .update(apiKeys)
      .set({ revokedAt: context.now() })
      .where(and(eq(apiKeys.id, row.id), isNull(apiKeys.revokedAt)));
    afterCommit.push({ topic: "keys", workspaceId: row.workspaceId });
  });
  return { success: true };
}

/** Lists the keys of a workspace, the oldest first, without their secrets. */
export async function listApiKeys(
  context: RequestContext,
  input: { wId: string },
): Promise<{ apiKeys: ApiKey[] }> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  return { apiKeys: await readApiKeys(db, eq(apiKeys.workspaceId, workspace.id)) };
}

/** The workspace's key with this id. Throws `api_key_not_found`. */
export async function requireKey(
  context: RequestContext,
  db: Queryable,
  { wId, keyId }: { wId: string; keyId: string },
): Promise<ApiKeyRow> {
  const workspace = await administeredWorkspace(context, db, wId);
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
  const found = await db
    .select({ id: spaces.id, sid: spaces.sid })
    .from(spaces)
    .where(
      and(
        eq(spaces.workspaceId, key.workspaceId),
        inArray(spaces.sid, [...spaceIds]),
        isNull(spaces.deletedAt),
      ),
    );
  const named = requireFound(found, spaceIds, (sid) => {
    return new ParleyError("space_not_found", `spaceIds: the workspace has no space ${sid}`);
  });
  await replaceRows(db, apiKeySpaces, {
    where: eq(apiKeySpaces.apiKeyId, key.id),
    rows: named.map(({ id }) => ({ apiKeyId: key.id, spaceId: id })),
  });
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
    .map((ofKey) => {
      const { key, userId } = ofKey[0]!;
      return {
        sId: key.sid,
        name: key.name,
        userId,
        role: key.role as WorkspaceRole,
        spaceIds: ofKey.flatMap(({ spaceId }) => spaceId ?? []),
        createdAt: key.createdAt,
        expiresAt: key.expiresAt,
        disabledAt: key.disabledAt,
        revokedAt: key.revokedAt,
      };
    })
    .toArray();
}
