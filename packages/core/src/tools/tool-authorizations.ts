/** Users let the servers of tools be called for them: they are sent to the server's authorization server. */
import { createHash, randomBytes } from "node:crypto";
import {
  hasRow,
  insertRow,
  type Queryable,
  spaces,
  toolAuthorizationRequests,
  tools,
  users,
} from "@parley/db";
import {
  invalidRequest,
  ParleyError,
  type StartedToolAuthorization,
  type Success,
  type ToolAuthorization,
} from "@parley/schema";
import { and, asc, eq, gt, inArray, isNull, lte, sql } from "drizzle-orm";
import type { Context, Process } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { inTransaction } from "../log/transaction.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { findMissingScope, joinScopes, type OfUser } from "./authorization-rows.ts";
import { redirectUrlOf } from "./client-document.ts";
import {
  askedScope,
  findAuthorization,
  lockAuthorization,
  publicPartyOf,
  removeAuthorization,
} from "./personal-tokens.ts";
import { revokeStored } from "./revoke-stored.ts";
import { isReachedServer } from "./tool-administration.ts";
import {
  findConnection,
  isPersonal,
  selectConnections,
  type StoredConnection,
} from "./tool-connections.ts";
import { openSecret, sealSecret } from "./tool-secrets.ts";
import type { ToolServices } from "./tool-servers.ts";

/** How long a user may take at the authorization server. */
const REQUEST_MS = 10 * 60 * 1000;
/** Attempts of a user that may be under way for one tool; the oldest makes room. */
const MAX_REQUESTS = 5;
const SWEPT_AT_ONCE = 100;

type ToolContext = SecretServices & ToolServices;
type NamedTool = { readonly toolId: string };

/** What a request is found by. */
export const hashOfState = (state: string): string =>
  createHash("sha256").update(state).digest("base64url");

/** What is kept of a user who was sent away. */
interface Started {
  readonly authorizationUrl: string;
  readonly codeVerifier: string;
}

/** Reads whether the caller's user has let a tool be called. Throws `tool_not_found`. */
export async function getToolAuthorization(
  context: Context,
  input: NamedTool,
): Promise<{ authorization: ToolAuthorization }> {
  const { db } = context.database;
  const { tool, connection } = await requireServer(context, db, input);
  const none = { scope: null, grantedAt: null };
  if (!isPersonal(connection)) return { authorization: { status: "not_required", ...none } };
  const named = { toolId: tool.id, userId: context.caller.user.id };
  const found = await findAuthorization(db, named);
  if (found === undefined) return { authorization: { status: "required", ...none } };
  const { scope, createdAt: grantedAt } = found;
  return { authorization: { status: "granted", scope, grantedAt } };
}

/**
 * Begins to let a tool be called for the caller's user, and gives where the user's browser goes. Throws
 * `tool_not_found`, and `invalid_request_error` for a tool that needs no user.
 */
export async function startToolAuthorization(
  context: KeyedContext & ToolContext,
  input: NamedTool,
): Promise<{ authorization: StartedToolAuthorization }> {
  const { database, caller, publicUrl, toolServers } = context;
  const stored = await requireServer(context, database.db, input);
  const { tool, connection } = stored;
  if (!isPersonal(connection)) {
    const message = "the tool does not need users' authorization";
    throw invalidRequest("path", [{ path: "toolId", message }]);
  }
  const sid = context.newId("tar");
  const state = randomBytes(32).toString("base64url");
  const party = publicPartyOf(stored);
  const redirectUrl = redirectUrlOf(publicUrl, party.client.clientId);
  const named: OfUser = { toolId: tool.id, userId: caller.user.id };
  const scope = joinScopes(askedScope(stored), await findMissingScope(database.db, named));
  const request = { redirectUrl, state, ...(scope !== "" && { scope }) };
  const started = await toolServers.authorization.start(party, request);
  // Whoever cannot be asked is not registered.
  if ("type" in started) throw new Error(started.message);
  const expiresAt = context.now() + REQUEST_MS;
  return inTransactionOnce(context, { id: sid }, async ({ db }) => {
    await makeRoom(context, db, named);
    await insertRow(db, toolAuthorizationRequests, {
      sid,
      ...named,
      stateHash: hashOfState(state),
      started: sealSecret(context, {
        tool,
        name: "authorization",
        userId: caller.user.id,
        text: JSON.stringify(started satisfies Started),
      }),
      redirectUrl,
      expiresAt,
    });
    const { authorizationUrl } = started;
    return { authorization: { authorizationUrl, expiresAt } };
  });
}

/** Deletes what has expired, and the user's oldest requests if there would be too many. */
async function makeRoom(
  { now }: Pick<Process, "now">,
  db: Queryable,
  { toolId, userId }: OfUser,
): Promise<void> {
  await db.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
  const { id, expiresAt } = toolAuthorizationRequests;
  const expired = db
    .select({ id })
    .from(toolAuthorizationRequests)
    .where(lte(expiresAt, now()))
    .orderBy(asc(expiresAt))
    .limit(SWEPT_AT_ONCE)
    .for("update", { skipLocked: true });
  await db.delete(toolAuthorizationRequests).where(inArray(id, expired));
  const own = await db
    .select({ id })
    .from(toolAuthorizationRequests)
    .where(
      and(
        eq(toolAuthorizationRequests.toolId, toolId),
        eq(toolAuthorizationRequests.userId, userId),
      ),
    )
    .orderBy(asc(id));
  const surplus = own.slice(0, Math.max(0, own.length + 1 - MAX_REQUESTS)).map((one) => one.id);
  if (surplus.length > 0) {
    await db.delete(toolAuthorizationRequests).where(inArray(id, surplus));
  }
}

/** Replays a beginning: the same page. Throws `tool_not_found` if the user has come back, or took too long. */
export async function replayToolAuthorization(
  context: Context & ToolContext,
  input: NamedTool,
  sid: string,
): Promise<{ authorization: StartedToolAuthorization }> {
  const { db } = context.database;
  const { tool } = await requireServer(context, db, input);
  const { id: userId } = context.caller.user;
  const [row] = await db
    .select()
    .from(toolAuthorizationRequests)
    .where(
      and(
        eq(toolAuthorizationRequests.sid, sid),
        eq(toolAuthorizationRequests.userId, userId),
        gt(toolAuthorizationRequests.expiresAt, context.now()),
      ),
    );
  if (row === undefined) {
    throw new ParleyError("tool_not_found", "toolId: the authorization has expired: start again");
  }
  const { authorizationUrl } = openStarted(context, { tool, ...row });
  return { authorization: { authorizationUrl, expiresAt: row.expiresAt } };
}

/** What is kept of a user who was sent away. */
export function openStarted(
  core: SecretServices,
  {
    tool,
    userId,
    started,
  }: Pick<typeof toolAuthorizationRequests.$inferSelect, "userId" | "started"> &
    Pick<StoredConnection, "tool">,
): Started {
  const place = { tool, name: "authorization", userId } as const;
  // Written by `startToolAuthorization`.
  return JSON.parse(openSecret(core, started, place)) as Started;
}

/**
 * Takes back that a tool may be called for the caller's user: no later call uses what was granted. It is revoked
 * at the authorization server as far as that takes it. Throws `tool_not_found`.
 */
export async function revokeToolAuthorization(
  context: Context & ToolContext,
  input: NamedTool,
): Promise<Success> {
  const { database, caller } = context;
  const { tool } = await requireServer(context, database.db, input);
  const named = { toolId: tool.id, userId: caller.user.id };
  const { row, stored } = await inTransaction(context, async ({ db }) => {
    await lockAuthorization(db, named);
    await db
      .delete(toolAuthorizationRequests)
      .where(
        and(
          eq(toolAuthorizationRequests.toolId, named.toolId),
          eq(toolAuthorizationRequests.userId, named.userId),
        ),
      );
    const deleted = await removeAuthorization(db, named);
    // Whose tokens they are: not before, when another server may have been set.
    return { row: deleted, stored: await findConnection(db, tool.id) };
  });
  if (!row || !stored || !isPersonal(stored.connection)) return { success: true };
  // Nothing here uses it any more, whatever the authorization server knows, and whenever it answers.
  void revokeStored(context, stored, row);
  return { success: true };
}

/** A tool with its connection that the caller reaches. */
export async function requireServer(
  { caller }: Context,
  db: Queryable,
  { toolId }: NamedTool,
): Promise<StoredConnection> {
  const isOpen = hasRow(
    sql`from ${spaces} where ${and(sql`${spaces.id} = ${tools}.space_id`, isNull(spaces.deletedAt))}`,
  );
  const [stored] = await selectConnections(db).where(
    and(
      eq(tools.workspaceId, caller.workspace.id),
      eq(tools.sid, toolId),
      isReachedServer(caller),
      isOpen,
    ),
  );
  if (stored !== undefined) return stored;
  throw new ParleyError("tool_not_found", "toolId: the workspace has no such tool with a server");
}
