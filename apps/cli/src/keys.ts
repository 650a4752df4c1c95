import {
  type Core,
  generateApiKey,
  hashApiKey,
  insertApiKey,
  recordCommand,
  type WorkspaceRow,
} from "@parley/core";
import { apiKeys, type Queryable } from "@parley/db";
import type { Role } from "@parley/schema";
import { and, eq, isNull, ne } from "drizzle-orm";
import { BadConfiguration } from "./config.ts";

/**
 * Sees to it that there is exactly one key of this name in use: the given one, or a new one. A key
 * that a start before this one set is revoked. What changes is recorded in the audit log. Throws
 * `BadConfiguration` when the key is another's.
 */
export async function ensureKey(
  core: Core,
  db: Queryable,
  wanted: {
    workspace: WorkspaceRow | undefined;
    name: string;
    role: Role;
    secret: string | undefined;
  },
): Promise<{ secret: string; userId: number }> {
  const { workspace, name, role } = wanted;
  const workspaceId = workspace?.id ?? null;
  const record = (action: "create" | "update" | "revoke", keyId: string) =>
    recordCommand(core, db, {
      action: `apiKeys.${action}`,
      workspaceId: workspace?.sid,
      subjectId: keyId,
    });
  const secret = wanted.secret ?? generateApiKey();
  const hash = hashApiKey(secret);
  const [known] = await db.select().from(apiKeys).where(eq(apiKeys.hash, hash));
  if (known !== undefined && (known.workspaceId !== workspaceId || known.role !== role)) {
    throw new BadConfiguration(`The key for ${name} is in use for ${known.name}: choose another`);
  }
  const sameName = and(
    eq(apiKeys.name, name),
    workspaceId === null ? isNull(apiKeys.workspaceId) : eq(apiKeys.workspaceId, workspaceId),
  );
  const replaced = await db
    .update(apiKeys)
    .set({ revokedAt: core.now() })
    .where(and(sameName, ne(apiKeys.hash, hash), isNull(apiKeys.revokedAt)))
    .returning({ sid: apiKeys.sid });
  for (const { sid } of replaced) await record("revoke", sid);
  if (known === undefined) {
    const row = await insertApiKey(core, db, { workspaceId, name, role, secret });
    await record("create", row.sid);
    return { secret, userId: row.userId ?? 0 };
  }
  if (known.revokedAt !== null) {
    await db.update(apiKeys).set({ revokedAt: null }).where(eq(apiKeys.id, known.id));
    await record("update", known.sid);
  }
  return { secret, userId: known.userId ?? 0 };
}
