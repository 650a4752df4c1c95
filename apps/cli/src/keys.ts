import { type Core, generateApiKey, hashApiKey, insertApiKey } from "@parley/core";
import { apiKeys, type Queryable } from "@parley/db";
import type { Role } from "@parley/schema";
import { and, eq, isNull, ne } from "drizzle-orm";
import { BadConfiguration } from "./config.ts";

/**
 * Sees to it that there is exactly one key of this name in use: the given one, or a new one. A key
 * that a start before this one set is revoked. Throws `BadConfiguration` when the key is another's.
 */
export async function ensureKey(
  core: Core,
  db: Queryable,
  wanted: { workspaceId: number | null; name: string; role: Role; secret: string | undefined },
): Promise<{ secret: string; userId: number }> {
  const { workspaceId, name, role } = wanted;
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
  await db
    .update(apiKeys)
    .set({ revokedAt: core.now() })
    .where(and(sameName, ne(apiKeys.hash, hash), isNull(apiKeys.revokedAt)));
  if (known === undefined) {
    const row = await insertApiKey(core, db, { workspaceId, name, role, secret });
    return { secret, userId: row.userId ?? 0 };
  }
  await db.update(apiKeys).set({ revokedAt: null }).where(eq(apiKeys.id, known.id));
  return { secret, userId: known.userId ?? 0 };
}
