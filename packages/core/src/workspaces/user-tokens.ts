import { insertRow, type Queryable, spaces, users, userTokens } from "@parley/db";
import {
  type CreatedUserToken,
  type CreateUserToken,
  invalidRequest,
  ParleyError,
  type RevokeUserTokens,
  type Success,
} from "@parley/schema";
import { and, eq, gt, inArray, lte } from "drizzle-orm";
import { findByExternalId, introduceUser } from "../access/acting-users.ts";
import { generateUserToken, hashSecret } from "../access/key-secrets.ts";
import { seesAllOfWorkspace } from "../access/ownership.ts";
import { reachesSpace } from "../access/space-reach.ts";
import type { Context, Process, RequestContext } from "../context.ts";
import type { SpaceRow, UserRow } from "../data-access/rows.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { administeredWorkspace, requireFound } from "./administered-workspace.ts";
import { requireMember } from "./members.ts";
import { renderUser } from "./users.ts";

/** Each live token may have entries in caches, so their number is bounded. */
const MAX_LIVE_TOKENS = 100;
const SWEPT_AT_ONCE = 1000;

/**
 * Creates a token with which a user acts under the caller's key. Only this response holds its secret.
 * Throws `app_auth_error` for an operator, and for an e-mail address from a key below builder.
 */
export async function createUserToken(
  request: RequestContext,
  input: CreateUserToken,
  alsoDo: DoForUser = async () => {},
): Promise<CreatedUserToken> {
  requireOneOf("userId", "externalId", input);
  const context = await requireKeyOfWorkspace(request, input);
  const { apiKey } = context.caller;
  const secret = generateUserToken();
  const { token, user, reached } = await inTransaction(context, async (transaction) => {
    const { db, markCreated } = transaction;
    const workspace = await administeredWorkspace(context, db, input.wId);
    const found = await findOrCreateUser(context, db, input);
    const sids = input.spaceIds ?? [];
    const named = await requireSpaces(context, db, sids);
    await requireRoomForToken(context, db, found);
    await alsoDo(context, transaction, found);
    const createdAt = context.now();
    const row = await insertRow(db, userTokens, {
      sid: context.newId("tok"),
      workspaceId: workspace.id,
      userId: found.id,
      apiKeyId: apiKey.id,
      hash: hashSecret(secret),
      scopes: [...new Set(input.scopes)],
      spaceIds: named.map(({ id }) => id),
      createdAt,
      expiresAt: createdAt + input.lifetimeSeconds * 1000,
    });
    markCreated(row.sid);
    return { token: row, user: found, reached: named };
  });
  return {
    userToken: {
      sId: token.sid,
      userId: user.sid,
      keyId: apiKey.sid,
      scopes: token.scopes,
      spaceIds: reached.map(({ sid }) => sid),
      createdAt: token.createdAt,
      expiresAt: token.expiresAt,
    },
    user: renderUser(context, user),
    secret,
  };
}

/** What is done for the token's user in the transaction that creates it. */
type DoForUser = (context: Context, transaction: Transaction, user: UserRow) => Promise<void>;

/** Throws `invalid_request_error` unless an input has exactly one of two members. */
function requireOneOf<Name extends string>(
  one: Name,
  other: Name,
  input: Readonly<Partial<Record<Name, unknown>>>,
): void {
  if ((input[one] === undefined) !== (input[other] === undefined)) return;
  const message = `give either this or ${other}`;
  throw invalidRequest("body", [{ path: one, message }]);
}

/** A token acts under the key that creates it, and an operator's is not a workspace's. */
async function requireKeyOfWorkspace(
  context: RequestContext,
  { wId: workspaceId }: CreateUserToken,
): Promise<Context> {
  if (context.caller.kind === "operator") {
    await administeredWorkspace(context, context.database.db, workspaceId);
    throw new ParleyError("app_auth_error", "This needs a key of the workspace");
  }
  // Its caller is not an operator.
  return context as Context;
}

async function findOrCreateUser(
  context: Context,
  db: Queryable,
  { userId, externalId, budget: _budget, ...profile }: CreateUserToken,
): Promise<UserRow> {
  const { caller } = context;
  const workspaceId = caller.workspace.id;
  if (externalId === undefined) return requireMember(db, workspaceId, userId ?? "");
  const known = await findByExternalId(db, workspaceId, externalId);
  if (known !== undefined) return known;
  // A caller who names an address may become an existing member.
  if (profile.email !== undefined && !seesAllOfWorkspace(caller)) {
    const message =
      "email: to create a user with an e-mail address, this needs a key of role builder";
    throw new ParleyError("app_auth_error", message);
  }
  const introduced = await introduceUser(context, db, { workspaceId, externalId, profile });
  if (introduced !== undefined) return introduced;
  const message = "email: belongs to a member with another external id";
  throw new ParleyError("member_already_exists", message);
}

async function requireSpaces(
  { caller }: Context,
  db: Queryable,
  sids: readonly string[],
): Promise<SpaceRow[]> {
  const found = await db
    .select()
    .from(spaces)
    .where(
      and(
        eq(spaces.workspaceId, caller.workspace.id),
        inArray(spaces.sid, [...sids]),
        reachesSpace(caller),
      ),
    );
  return requireFound(found, sids, (sid) => {
    return new ParleyError("space_not_found", `spaceIds: the key cannot see a space ${sid}`);
  });
}

async function requireRoomForToken(
  { now }: Context,
  db: Queryable,
  { id, sid }: UserRow,
): Promise<void> {
  // Tokens that are created at the same time are counted one after the other.
  await db.select({ id: users.id }).from(users).where(eq(users.id, id)).for("no key update");
  const live = and(eq(userTokens.userId, id), gt(userTokens.expiresAt, now()));
  if ((await db.$count(userTokens, live)) < MAX_LIVE_TOKENS) return;
  throw new ParleyError(
    "invalid_request_error",
    `Invalid request body: the user ${sid} has ${MAX_LIVE_TOKENS} live tokens: revoke unused ones`,
  );
}

/**
 * Revokes one token, or all of a user. A key of role `user` revokes those that it has created. Throws
 * `user_token_not_found` and `member_not_found`.
 */
export async function revokeUserTokens(
  context: RequestContext,
  input: RevokeUserTokens,
): Promise<Success> {
  requireOneOf("tokenId", "userId", input);
  await inTransaction(context, async ({ db, afterCommit, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const { tokenId, userId = "" } = input;
    const user = tokenId === undefined ? await requireMember(db, workspace.id, userId) : undefined;
    const revoked = await db
      .delete(userTokens)
      .where(
        and(
          eq(userTokens.workspaceId, workspace.id),
          tokenId === undefined ? undefined : eq(userTokens.sid, tokenId),
          user && eq(userTokens.userId, user.id),
          isRevocable(context.caller),
        ),
      )
      .returning({ id: userTokens.id });
    if (tokenId !== undefined && revoked.length === 0) {
      const message = "tokenId: the workspace has no such token";
      throw new ParleyError("user_token_not_found", message);
    }
    // The subject of the record.
    markCreated(tokenId ?? userId);
    afterCommit.push({ topic: "keys", workspaceId: workspace.id });
  });
  return { success: true };
}

function isRevocable(caller: RequestContext["caller"]) {
  const isAny = caller.kind === "operator" || seesAllOfWorkspace(caller);
  return isAny ? undefined : eq(userTokens.apiKeyId, caller.apiKey.id);
}

/** Deletes a batch of expired tokens, and gives their number. */
export async function sweepUserTokens(core: Pick<Process, "database" | "now">): Promise<number> {
  const { db } = core.database;
  const { id, expiresAt } = userTokens;
  const some = db
    .select({ id })
    .from(userTokens)
    .where(lte(expiresAt, core.now()))
    .orderBy(expiresAt)
    .limit(SWEPT_AT_ONCE)
    .for("update", { skipLocked: true });
  const swept = await db.delete(userTokens).where(inArray(id, some)).returning({ id });
  return swept.length;
}
