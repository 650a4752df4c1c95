/**
 * The tokens of users who let a server be called for them. A token that was replaced, refused or taken back is
 * never used again: each change names the generation that it has seen.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Queryable, toolAuthorizations, users } from "@parley/db";
import type { AuthorizationServer, OAuthTokens, Party } from "@parley/mcp";
import { and, eq, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import {
  type AuthorizationRow,
  findMissingScope,
  isOfUser,
  joinScopes,
  type OfUser,
} from "./authorization-rows.ts";
import { revokeTokens } from "./revoke-tokens.ts";
import type { StoredConnection } from "./tool-connections.ts";
import { openSecret, sealSecret } from "./tool-secrets.ts";
import { type ToolServices, unreachable } from "./tool-servers.ts";

const REFRESH_TIMEOUT_MS = 15_000;
/** For how long one process alone refreshes: it has its answer, or has given up, before. */
const REFRESH_LEASE_MS = 20_000;
const LOOK_AGAIN_MS = 100;
/** Tokens are not used until the moment of their end; those that end sooner, for half of their time. */
const TOKEN_SLACK_MS = 30_000;
/** How long a token is used whose end is not known. */
const UNKNOWN_TOKEN_MS = 5 * 60 * 1000;
/** Class of the advisory locks on a user's authorization of a tool. */
const LOCK_CLASS = 1_886_680_173;

type TokenProcess = Pick<Process, "database" | "now"> & SecretServices & ToolServices;
type Connected = Pick<StoredConnection, "tool" | "connection">;

/** A token that was read, for this connection alone. */
interface SeenToken extends Required<OfUser> {
  readonly generation: number;
}

/** A token that a server is called with. */
export interface HeldToken extends SeenToken {
  readonly token: string;
}

/** How long a token is used, in milliseconds. */
export function usableFor({ expiresInMs }: { readonly expiresInMs?: number }): number {
  if (expiresInMs === undefined) return UNKNOWN_TOKEN_MS;
  return Math.max(expiresInMs - TOKEN_SLACK_MS, expiresInMs / 2);
}

/**
 * Makes who saves a call that waits for a user's authorization, and who stores that, wait for each other until
 * their transactions end: one of the two sees what the other has done. Comes before the locks of logs.
 */
export async function lockAuthorization(db: Queryable, { toolId, userId }: OfUser): Promise<void> {
  const key = sql`hashtext(${`${toolId}/${userId}`})`;
  await db.execute(sql`select pg_advisory_xact_lock(${LOCK_CLASS}, ${key})`);
}

/** The authorization that has not got another token since. */
export const whereSeen = ({ generation, ...named }: SeenToken) =>
  and(isOfUser(named), eq(toolAuthorizations.generation, generation));

const hasToken = or(
  isNotNull(toolAuthorizations.token),
  isNotNull(toolAuthorizations.refreshToken),
);

/** The authorization of a user who is a member; undefined if its token was put aside. */
export async function findAuthorization(
  db: Queryable,
  named: OfUser,
): Promise<AuthorizationRow | undefined> {
  const [row] = await db
    .select({ authorization: toolAuthorizations })
    .from(toolAuthorizations)
    .innerJoin(users, and(eq(users.id, toolAuthorizations.userId), isNull(users.removedAt)))
    .where(and(isOfUser(named), hasToken));
  return row?.authorization;
}

/** Who Parley is for the users of a connection, without its secret. */
export function publicPartyOf({ connection }: Connected): Party {
  const { oauth, authorizationServer } = connection;
  if (oauth === null || authorizationServer === null)
    throw new Error("Nobody has authorized this tool");
  const { clientId, authenticationMethod } = oauth;
  return {
    // Written by `sealClient`, as `prepare` of the protocol gave it.
    server: authorizationServer as AuthorizationServer,
    client: { clientId, ...(authenticationMethod !== undefined && { authenticationMethod }) },
  };
}

/** What users of a connection are asked for first; undefined if nobody has named a scope. */
export function askedScope(stored: Connected): string | undefined {
  return stored.connection.oauth?.scope ?? publicPartyOf(stored).server.scopes?.join(" ");
}

/** Who Parley is for the users of a connection. Throws `tool_unreachable` if its secret cannot be opened. */
export function partyOf(core: SecretServices, stored: Connected): Party {
  const { server, client } = publicPartyOf(stored);
  const { tool, connection } = stored;
  if (connection.clientSecret === null) return { server, client };
  const clientSecret = openSecret(core, connection.clientSecret, { tool, name: "oauth" });
  return { server, client: { ...client, clientSecret } };
}

/** Stores what a user has been issued. Gives whether it was stored: not if the `seen` one was replaced. */
export async function storeTokens(
  core: Pick<Process, "now"> & SecretServices,
  db: Queryable,
  {
    tool,
    tokens,
    userId,
    seen,
  }: {
    readonly tool: StoredConnection["tool"];
    readonly tokens: OAuthTokens;
    readonly userId: number;
    readonly seen?: SeenToken;
  },
): Promise<boolean> {
  const named = { toolId: tool.id, userId };
  const { accessToken, refreshToken, scope } = tokens;
  const place = { tool, name: "authorization", userId } as const;
  const given = {
    token: sealSecret(core, { ...place, text: accessToken }),
    tokenUntil: core.now() + usableFor(tokens),
    refreshToken:
      refreshToken === undefined ? null : sealSecret(core, { ...place, text: refreshToken }),
    refreshingUntil: 0,
    ...(scope !== undefined && { scope }),
  };
  const next = { ...given, generation: sql`${toolAuthorizations.generation} + 1` };
  if (seen === undefined) {
    const { toolId } = toolAuthorizations;
    // What the user was asked for is not asked for again, also if less was granted.
    const missing = await findMissingScope(db, named);
    const asked = missing !== null && { scope: joinScopes(missing, scope) };
    await db
      .insert(toolAuthorizations)
      .values({ ...given, ...asked, ...named, createdAt: core.now() })
      .onConflictDoUpdate({
        target: [toolId, toolAuthorizations.userId],
        set: { ...next, ...asked, createdAt: core.now() },
      });
    return true;
  }
  const rows = await db
    .update(toolAuthorizations)
    .set(next)
    .where(whereSeen(seen))
    .returning({ userId: toolAuthorizations.userId });
  return rows.length > 0;
}

/**
 * Forgets a token that its server has refused: the next one is asked for with the refresh token. Without one, or
 * if the authorization `isEnded`, the user is asked again.
 */
export async function dropPersonalToken(
  { database }: Pick<Process, "database">,
  { isEnded, ...token }: SeenToken & { readonly isEnded: boolean },
): Promise<void> {
  const seen = whereSeen(token);
  const { db } = database;
  if (!isEnded) {
    const rows = await db
      .update(toolAuthorizations)
      .set({ token: null, tokenUntil: 0 })
      .where(and(seen, sql`${toolAuthorizations.refreshToken} is not null`))
      .returning({ userId: toolAuthorizations.userId });
    if (rows.length > 0) return;
  }
  await db.delete(toolAuthorizations).where(seen);
}

/**
 * The token of a user for a server, refreshed if it has ended: of all processes, one asks for the next.
 * Undefined if the user has to allow it first. Throws `tool_unreachable` if the authorization server does
 * not answer.
 */
export async function openPersonalToken(
  core: TokenProcess,
  stored: Connected,
  { userId, signal }: { readonly userId: number; readonly signal: AbortSignal },
): Promise<HeldToken | undefined> {
  const { tool, connection } = stored;
  const named = { toolId: tool.id, userId, connection };
  const place = { tool, name: "authorization", userId } as const;
  for (;;) {
    const row = await findAuthorization(core.database.db, named);
    if (row === undefined) return undefined;
    const { generation } = row;
    if (row.token !== null && row.tokenUntil > core.now()) {
      return { ...named, generation, token: openSecret(core, row.token, place) };
    }
    if (row.refreshToken === null) {
      await dropPersonalToken(core, { ...named, generation, isEnded: true });
      return undefined;
    }
    if (await claimRefresh(core, { ...named, generation })) {
      const refreshToken = openSecret(core, row.refreshToken, place);
      await refresh(core, stored, { ...named, generation, refreshToken, signal });
    } else await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

async function claimRefresh(
  { database, now }: Pick<Process, "database" | "now">,
  seen: SeenToken,
): Promise<boolean> {
  const rows = await database.db
    .update(toolAuthorizations)
    .set({ refreshingUntil: now() + REFRESH_LEASE_MS })
    .where(and(whereSeen(seen), lte(toolAuthorizations.refreshingUntil, now())))
    .returning({ userId: toolAuthorizations.userId });
  return rows.length > 0;
}

interface Refresh extends SeenToken {
  readonly refreshToken: string;
  readonly signal: AbortSignal;
}

async function refresh(
  core: TokenProcess,
  stored: Connected,
  { refreshToken, signal, ...seen }: Refresh,
): Promise<void> {
  const party = partyOf(core, stored);
  const { authorization } = core.toolServers;
  const limits = { timeoutMs: REFRESH_TIMEOUT_MS, signal };
  const tokens = await authorization.refresh(party, { ...limits, refreshToken });
  if (!("type" in tokens)) {
    const given = { tool: stored.tool, tokens, userId: seen.userId, seen };
    if (await storeTokens(core, core.database.db, given)) return;
    // Taken back in the meantime: so is what was issued since.
    await revokeTokens(core, party, { tokens, signal });
    return;
  }
  // The authorization server has refused it: only the user can allow it again.
  if (tokens.error === "invalid_grant") {
    await dropPersonalToken(core, { ...seen, isEnded: true });
    return;
  }
  await core.database.db
    .update(toolAuthorizations)
    .set({ refreshingUntil: 0 })
    .where(whereSeen(seen));
  throw unreachable(tokens);
}

/** Takes a user's authorization back. Gives its row; undefined if there was none. */
export async function removeAuthorization(
  db: Queryable,
  named: OfUser,
): Promise<AuthorizationRow | undefined> {
  const [row] = await db.delete(toolAuthorizations).where(isOfUser(named)).returning();
  return row;
}
