import { BadConfiguration } from "@parley/command/setting-faults";
import {
  type Core,
  generateApiKey,
  hashSecret,
  insertApiKey,
  isUsableOperatorKey,
  recordCommand,
  type WorkspaceRow,
} from "@parley/core";
import { apiKeys, type Queryable, rotatedSecrets } from "@parley/db";
import type { Role } from "@parley/schema";
import { and, eq, inArray, isNull } from "drizzle-orm";
import type { StartMemory } from "./start-memory.ts";

/** A key that a start ensures. */
interface WantedKey {
  readonly workspace: WorkspaceRow | undefined;
  readonly name: string;
  readonly role: Role;
  /** The setting that may name it. */
  readonly setting: string;
  /** A new one is created without it. */
  readonly secret: string | undefined;
  /** Public ids of the keys that it replaces, all of them created by starts. */
  readonly replaces: readonly string[];
  readonly memory: StartMemory;
}

/** A key in use. */
interface EnsuredKey {
  readonly sid: string;
  readonly secret: string;
  readonly userId: number;
  readonly isNew: boolean;
}

/** The other way out of a key of the demo that cannot be used. */
const withoutDemo = ", or set PARLEY_DEMO=off";

/** The key of a secret, also of one from before a rotation, which expires. */
async function findKey(db: Queryable, hash: string) {
  const [current] = await db.select().from(apiKeys).where(eq(apiKeys.hash, hash));
  if (current !== undefined) return { ...current, secretExpiresAt: Infinity };
  const [rotated] = await db
    .select({ key: apiKeys, secretExpiresAt: rotatedSecrets.expiresAt })
    .from(rotatedSecrets)
    .innerJoin(apiKeys, eq(apiKeys.id, rotatedSecrets.apiKeyId))
    .where(eq(rotatedSecrets.hash, hash));
  return rotated && { ...rotated.key, secretExpiresAt: rotated.secretExpiresAt };
}

/**
 * Ensures that a key is in use: the given one, or a new one. It revokes the keys that it replaces, and no
 * others. The audit log records each change. Throws `BadConfiguration` if the key is used for another
 * purpose, was revoked by somebody else, or is no longer accepted since it was rotated.
 */
export async function ensureKey(
  core: Core,
  db: Queryable,
  { workspace, name, role, setting, memory, ...wanted }: WantedKey,
): Promise<EnsuredKey> {
  const workspaceId = workspace?.id ?? null;
  const record = (action: "create" | "update" | "revoke", keyId: string) =>
    recordCommand(core, db, {
      action: `${workspaceId === null ? "operatorKeys" : "apiKeys"}.${action}`,
      workspaceId: workspace?.sid,
      subjectId: keyId,
    });
  const secret = wanted.secret ?? generateApiKey();
  const hash = hashSecret(secret);
  const known = await findKey(db, hash);
  if (known !== undefined && (known.workspaceId !== workspaceId || known.role !== role)) {
    throw new BadConfiguration(
      `The key for ${name} is already used for ${known.name}: choose another (${setting})`,
    );
  }
  if (known !== undefined && known.secretExpiresAt <= core.now()) {
    throw new BadConfiguration(
      `The key for ${name} was rotated: set its new secret (${setting})${withoutDemo}`,
    );
  }
  if (known?.expiresAt != null && known.expiresAt <= core.now()) {
    throw new BadConfiguration(
      `The key for ${name} has expired: choose another (${setting})${withoutDemo}`,
    );
  }
  const others = wanted.replaces.filter((sid) => sid !== known?.sid);
  const replaced = await db
    .update(apiKeys)
    .set({ revokedAt: core.now() })
    .where(and(inArray(apiKeys.sid, others), isNull(apiKeys.revokedAt)))
    .returning({ sid: apiKeys.sid });
  for (const { sid } of replaced) await record("revoke", sid);
  memory.replacedKeyIds.push(...replaced.map(({ sid }) => sid));
  if (known === undefined) {
    const row = await insertApiKey(core, db, { workspaceId, name, role, secret });
    await record("create", row.sid);
    return { sid: row.sid, secret, userId: row.userId ?? 0, isNew: true };
  }
  if (known.revokedAt !== null) {
    if (!memory.replacedKeyIds.includes(known.sid)) {
      throw new BadConfiguration(
        `The key for ${name} was revoked: choose another (${setting})${withoutDemo}`,
      );
    }
    await db.update(apiKeys).set({ revokedAt: null }).where(eq(apiKeys.id, known.id));
    await record("update", known.sid);
    memory.replacedKeyIds = memory.replacedKeyIds.filter((sid) => sid !== known.sid);
  }
  return { sid: known.sid, secret, userId: known.userId ?? 0, isNew: false };
}

/** Purpose of the operator keys that the settings have named. */
const OPERATOR = "operator";

/**
 * Ensures that the operator key of the settings is in use, and revokes those that starts have created for
 * the setting before, and no others.
 */
export async function ensureOperatorKey(
  core: Core,
  db: Queryable,
  { secret, memory }: { secret: string; memory: StartMemory },
): Promise<void> {
  const own = memory.keyIds[OPERATOR] ?? [];
  const operator = { workspace: undefined, name: "operator", role: "operator" } as const;
  const setting = "PARLEY_OPERATOR_KEY";
  const wanted = { ...operator, setting, secret, replaces: own, memory };
  const { sid, isNew } = await ensureKey(core, db, wanted);
  // The demo may have created it.
  const isCreated = isNew || Object.values(memory.keyIds).flat().includes(sid);
  if (isCreated) memory.keyIds[OPERATOR] = [...new Set([...own, sid])];
}

/** Whether there is an operator key that can be used. */
export async function hasOperatorKey({ now }: Pick<Core, "now">, db: Queryable): Promise<boolean> {
  return (await db.$count(apiKeys, isUsableOperatorKey(now()))) > 0;
}
