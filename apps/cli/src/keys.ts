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
import { and, eq, inArray, isNull, ne } from "drizzle-orm";
import { BadConfiguration } from "./setting-faults.ts";
import type { StartMemory } from "./start-memory.ts";

/** A key that a start ensures. */
interface WantedKey {
  readonly workspace: WorkspaceRow | undefined;
  readonly name: string;
  readonly role: Role;
  /** A new one is created without it. */
  readonly secret: string | undefined;
  /** Public ids of the keys that earlier starts have set for this purpose. */
  readonly own: readonly string[];
  /** Those of them that this key replaces. */
  readonly replaces: readonly string[];
}

/**
 * Ensures that a key is in use: the given one, or a new one. It revokes the keys that it replaces, and no
 * others. The audit log records each change. Throws `BadConfiguration` if the key is used for another
 * purpose, or was revoked by somebody else.
 */
export async function ensureKey(
  core: Core,
  db: Queryable,
  { workspace, name, role, ...wanted }: WantedKey,
): Promise<{ sid: string; secret: string; userId: number }> {
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
  const isReplaced = and(inArray(apiKeys.sid, [...wanted.replaces]), ne(apiKeys.hash, hash));
  const replaced = await db
    .update(apiKeys)
    .set({ revokedAt: core.now() })
    .where(and(isReplaced, isNull(apiKeys.revokedAt)))
    .returning({ sid: apiKeys.sid });
  for (const { sid } of replaced) await record("revoke", sid);
  if (known === undefined) {
    const row = await insertApiKey(core, db, { workspaceId, name, role, secret });
    await record("create", row.sid);
    return { sid: row.sid, secret, userId: row.userId ?? 0 };
  }
  if (known.revokedAt !== null) {
    if (!wanted.own.includes(known.sid)) {
      throw new BadConfiguration(`The key for ${name} was revoked: choose another`);
    }
    await db.update(apiKeys).set({ revokedAt: null }).where(eq(apiKeys.id, known.id));
    await record("update", known.sid);
  }
  return { sid: known.sid, secret, userId: known.userId ?? 0 };
}

/** Purpose of the operator keys that the settings have named. */
const OPERATOR = "operator";

/**
 * Ensures that the operator key of the settings is in use, and revokes those that they named before, and
 * no others.
 */
export async function ensureOperatorKey(
  core: Core,
  db: Queryable,
  { secret, memory }: { secret: string; memory: StartMemory },
): Promise<{ sid: string; secret: string; userId: number }> {
  const own = memory.keyIds[OPERATOR] ?? [];
  const operator = { workspace: undefined, name: "operator", role: "operator" } as const;
  const key = await ensureKey(core, db, { ...operator, secret, own, replaces: own });
  memory.keyIds[OPERATOR] = [...new Set([...own, key.sid])];
  return key;
}
