import { createHash, timingSafeEqual } from "node:crypto";
import { apiKeys, type Queryable, workspaces } from "@parley/db";
import {
  API_KEY_PATTERN,
  type ApiKey,
  type CreatedApiKey,
  ParleyError,
  randomBase62,
  type Role,
  type WorkspaceRole,
} from "@parley/schema";
import { and, asc, eq, isNull } from "drizzle-orm";
import { type Core, inTransaction, type RequestContext } from "./context.ts";
import type { ApiKeyRow, WorkspaceRow } from "./rows.ts";
import { createServiceUser } from "./users.ts";

/** What is kept of a key: its SHA-256, in hexadecimal. */
export function hashApiKey(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Whether a secret is the one of which `hash` is kept. */
export function isSecretOf(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashApiKey(secret)), Buffer.from(hash));
}

/** Makes up a key that cannot be guessed. */
export function generateApiKey(): string {
  return `sk-${randomBase62(40)}`;
}

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
  if (!API_KEY_PATTERN.test(key.secret)) {
    throw new Error(`The key of ${key.name} must match ${API_KEY_PATTERN.source}`);
  }
  const { workspaceId, name } = key;
  const user =
    workspaceId === null ? undefined : await createServiceUser(core, db, { workspaceId, name });
  const [row] = await db
    .insert(apiKeys)
    .values({
      sid: core.newId("key"),
      workspaceId,
      userId: user?.id ?? null,
      name,
      hash: hashApiKey(key.secret),
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
  input: {
    workspaceId: string;
    name: string;
    role: WorkspaceRole;
    expiresAt: number | undefined;
  },
): Promise<CreatedApiKey> {
  const secret = generateApiKey();
  const row = await inTransaction(context, async ({ db }) => {
    const workspace = await getWorkspaceRow(db, input.workspaceId);
    return insertApiKey(context, db, { ...input, workspaceId: workspace.id, secret });
  });
  return { apiKey: renderApiKey(row), secret };
}

/** Revokes a key: it is refused from now on. Revoking it again changes nothing. */
export async function revokeApiKey(
  context: RequestContext,
  input: { workspaceId: string; keyId: string },
): Promise<{ success: true }> {
  await inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await getWorkspaceRow(db, input.workspaceId);
    const ofWorkspace = and(eq(apiKeys.workspaceId, workspace.id), eq(apiKeys.sid, input.keyId));
    const [row] = await db.select().from(apiKeys).where(ofWorkspace);
    if (row === undefined) {
      throw new ParleyError("api_key_not_found", "keyId: the workspace has no such key");
    }
    await db
      .update(apiKeys)
      .set({ revokedAt: context.now() })
      .where(and(ofWorkspace, isNull(apiKeys.revokedAt)));
    afterCommit.push({ topic: "keys", hash: row.hash });
  });
  return { success: true };
}

/** Lists the keys of a workspace, the oldest first, without their secrets. */
export async function listApiKeys(
  context: RequestContext,
  input: { workspaceId: string },
): Promise<{ apiKeys: ApiKey[] }> {
  const { db } = context.database;
  const workspace = await getWorkspaceRow(db, input.workspaceId);
  const rows = await db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.workspaceId, workspace.id))
    .orderBy(asc(apiKeys.id));
  return { apiKeys: rows.map(renderApiKey) };
}

function renderApiKey(row: ApiKeyRow): ApiKey {
  return {
    sId: row.sid,
    name: row.name,
    role: row.role as WorkspaceRole,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
  };
}

async function getWorkspaceRow(db: Queryable, sid: string): Promise<WorkspaceRow> {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.sid, sid));
  if (row === undefined) {
    throw new ParleyError("workspace_not_found", "workspaceId: there is no such workspace");
  }
  return row;
}
