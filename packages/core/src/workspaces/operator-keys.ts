/** The keys of operators, who administer the server: of these, one must be left that can be used. */
import { apiKeys, type Queryable } from "@parley/db";
import {
  type CreatedOperatorKey,
  type CreateOperatorKey,
  invalidRequest,
  type ListOperatorKeys,
  type OperatorKey,
  type OperatorKeyPage,
  ParleyError,
  type RequestPart,
  type RevokeOperatorKey,
  type RotatedOperatorKey,
  type RotateOperatorKey,
  type Success,
} from "@parley/schema";
import { and, asc, desc, eq, gt, isNull, lt, or, type SQL } from "drizzle-orm";
import { generateApiKey } from "../access/key-secrets.ts";
import type { RequestContext } from "../context.ts";
import type { ApiKeyRow } from "../data-access/rows.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { insertApiKey } from "./api-keys.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { takePage } from "../data-access/pages.ts";

/** Each key has limits and cache entries of its own, so their number is bounded. */
const MAX_KEYS = 100;

const isOperatorKey = eq(apiKeys.role, "operator");
const isLive = and(isOperatorKey, isNull(apiKeys.revokedAt));

/** The condition that a key is an operator's, and accepted. */
export function isUsableOperatorKey(now: number): SQL | undefined {
  const isUnexpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
  return and(isLive, isNull(apiKeys.disabledAt), isUnexpired);
}

/** Creates an operator key. Only this response holds its secret. */
export async function createOperatorKey(
  context: RequestContext,
  { name, expiresAt }: CreateOperatorKey,
): Promise<CreatedOperatorKey> {
  const secret = generateApiKey();
  return inTransaction(context, async ({ db, markCreated }) => {
    await lockOperatorKeys(db);
    if ((await db.$count(apiKeys, isLive)) >= MAX_KEYS) {
      const message = `the server has ${MAX_KEYS} operator keys: revoke unused ones`;
      throw invalidRequest("body", [{ path: "", message }]);
    }
    const key = { workspaceId: null, name, role: "operator", expiresAt, secret } as const;
    const row = await insertApiKey(context, db, key);
    markCreated(row.sid);
    return { operatorKey: renderOperatorKey(row), secret };
  });
}

/** Lists the operator keys, the newest first, without their secrets. */
export async function listOperatorKeys(
  { database }: RequestContext,
  { limit, lastValue }: ListOperatorKeys,
): Promise<OperatorKeyPage> {
  const isOlder = lastValue === undefined ? undefined : lt(apiKeys.id, Number(lastValue));
  const rows = await database.db
    .select()
    .from(apiKeys)
    .where(and(isOperatorKey, isOlder))
    .orderBy(desc(apiKeys.id))
    .limit(limit + 1);
  const { page, end } = takePage(rows, { limit }, ({ id }) => id);
  return { operatorKeys: page.map(renderOperatorKey), ...end };
}

/**
 * Gives an operator key a new secret. Without an overlap, only this response holds a secret of the key, so
 * the last key that can be used is refused then, unless the request says `evenIfLast`.
 */
export async function rotateOperatorKey(
  context: RequestContext,
  { keyId, overlapSeconds, evenIfLast }: RotateOperatorKey,
): Promise<RotatedOperatorKey> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const { id } = await requireOperatorKey(context, db, {
      keyId,
      mayBeLast: evenIfLast || overlapSeconds > 0,
      part: "body",
    });
    const rotated = await rotateSecret(context, transaction, { keyId: id, overlapSeconds });
    return { operatorKey: renderOperatorKey(await readKey(db, keyId)), ...rotated };
  });
}

/**
 * Revokes an operator key permanently; revoking it again changes nothing. The last one that can be used is
 * refused, unless the request says `evenIfLast`.
 */
export async function revokeOperatorKey(
  context: RequestContext,
  { keyId, evenIfLast: mayBeLast }: RevokeOperatorKey,
): Promise<Success> {
  await inTransaction(context, async ({ db, afterCommit }) => {
    const { id } = await requireOperatorKey(context, db, { keyId, mayBeLast, part: "query" });
    await db
      .update(apiKeys)
      .set({ revokedAt: context.now() })
      .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)));
    afterCommit.push({ topic: "keys", workspaceId: null });
  });
  return { success: true };
}

/** Revokes every operator key that is live, as nobody can who has lost them all; gives their ids. */
export async function revokeAllOperatorKeys(
  { now }: Pick<RequestContext, "now">,
  { db, afterCommit }: Transaction,
): Promise<string[]> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: now() })
    .where(isLive)
    .returning({ sid: apiKeys.sid });
  afterCommit.push({ topic: "keys", workspaceId: null });
  return revoked.map(({ sid }) => sid);
}

/**
 * An operator key that a change ends. Throws `api_key_not_found`, and `invalid_request_error` if it is
 * the last one that can be used and must not be.
 */
async function requireOperatorKey(
  { now }: RequestContext,
  db: Queryable,
  { keyId, mayBeLast, part }: { keyId: string; mayBeLast: boolean; part: RequestPart },
): Promise<ApiKeyRow> {
  await lockOperatorKeys(db);
  const row = await readKey(db, keyId);
  const usable = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(isUsableOperatorKey(now()))
    .limit(2);
  const isLast = usable.length === 1 && usable[0]?.id === row.id;
  if (mayBeLast || !isLast) return row;
  const message =
    "must be true to end the last usable operator key: create another one first; otherwise only `parley keys bootstrap` can";
  throw invalidRequest(part, [{ path: "evenIfLast", message }]);
}

/** Operators who end each other's keys do so one after the other. */
async function lockOperatorKeys(db: Queryable): Promise<void> {
  await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(isLive)
    .orderBy(asc(apiKeys.id))
    .for("no key update");
}

async function readKey(db: Queryable, sid: string): Promise<ApiKeyRow> {
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(isOperatorKey, eq(apiKeys.sid, sid)));
  if (row === undefined) {
    throw new ParleyError("api_key_not_found", `The server has no operator key ${sid}`);
  }
  return row;
}

function renderOperatorKey({ sid, name, createdAt, expiresAt, revokedAt }: ApiKeyRow): OperatorKey {
  return { sId: sid, name, createdAt, expiresAt, revokedAt };
}
