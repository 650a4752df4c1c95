import { apiKeys, type Queryable, rotatedSecrets } from "@parley/db";
import { invalidRequest } from "@parley/schema";
import { and, eq, gt } from "drizzle-orm";
import { generateApiKey, hashSecret } from "../access/key-secrets.ts";
import type { Process } from "../context.ts";
import type { ApiKeyRow } from "../data-access/rows.ts";
import type { Transaction } from "../log/transaction.ts";

/** What the response to a rotation alone shows. */
interface Rotated {
  readonly secret: string;
  readonly previousSecretExpiresAt: number;
}

/**
 * Gives a key a new secret. The one before is accepted for `overlapSeconds`; older ones are refused from
 * now on. Throws `invalid_request_error` for a revoked key, and for one that nobody has the secret of.
 */
export async function rotateSecret(
  core: Process,
  { db, afterCommit }: Pick<Transaction, "db" | "afterCommit">,
  { keyId, overlapSeconds }: { keyId: number; overlapSeconds: number },
): Promise<Rotated> {
  const key = await lockKey(db, keyId);
  if (key.revokedAt !== null) throw refuse("the key is revoked: create another");
  if (key.issuer !== null) {
    throw refuse("the key stands for an OpenID Connect issuer and has no secret to rotate");
  }
  const now = core.now();
  const secret = generateApiKey();
  const previousSecretExpiresAt = now + overlapSeconds * 1000;
  await db
    .update(rotatedSecrets)
    .set({ expiresAt: now })
    .where(and(eq(rotatedSecrets.apiKeyId, key.id), gt(rotatedSecrets.expiresAt, now)));
  await db.insert(rotatedSecrets).values({
    hash: key.hash,
    apiKeyId: key.id,
    looksMistyped: key.looksMistyped,
    expiresAt: previousSecretExpiresAt,
  });
  await db
    .update(apiKeys)
    .set({ hash: hashSecret(secret), looksMistyped: false })
    .where(eq(apiKeys.id, key.id));
  afterCommit.push({ topic: "keys", workspaceId: key.workspaceId });
  return { secret, previousSecretExpiresAt };
}

/** The key as it is once other rotations of it have ended. */
async function lockKey(db: Queryable, id: number): Promise<ApiKeyRow> {
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, id)).for("no key update");
  if (row === undefined) throw new Error(`There is no key ${id}`);
  return row;
}

function refuse(message: string): Error {
  return invalidRequest("path", [{ path: "keyId", message }]);
}
