import { apiKeys, rotatedSecrets, users, userTokens, workspaces } from "@parley/db";
import {
  API_KEY_PATTERN,
  ParleyError,
  SESSION_PATTERN,
  SIGN_IN_CODE_PATTERN,
  USER_TOKEN_PATTERN,
} from "@parley/schema";
import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Caller, Process, WorkspaceCaller } from "../context.ts";
import {
  createReadThroughCache,
  type ReadThroughCacheParts,
} from "../data-access/read-through-cache.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { isBudgeted } from "../money/is-budgeted.ts";
import { actingAs } from "./acting-users.ts";
import { hashSecret, isMistyped } from "./key-secrets.ts";
import { findSession, type StoredSession, takeCode } from "./sessions.ts";
import { createStoredHashes } from "./stored-hashes.ts";

/** The error for a known key or token that was revoked, is disabled, or has expired. */
export class KnownKeyRefused extends ParleyError {
  readonly caller: Caller;

  constructor(caller: Caller) {
    super("invalid_api_key_error", invalid(caller));
    this.caller = caller;
  }
}

interface AuthenticateOptions {
  /** Whether a code for signing in is a credential too; it is used up. */
  readonly takesCodes?: boolean | undefined;
  /** Whether it is probably unknown: what is not cached is then looked up together with others. */
  readonly isDoubtful?: boolean | undefined;
}

export interface Credentials {
  /**
   * The caller of an `Authorization` header. Throws the 401 that fits.
   */
  authenticate(header: string | undefined, options?: AuthenticateOptions): Promise<Caller>;
  close(): void;
}

/** Accepts the tokens of an OpenID Connect issuer. */
export interface TokenIssuer {
  /** The caller of a token. Throws the 401 that fits, and `service_unavailable` for a silent issuer. */
  authenticate(token: string): Promise<WorkspaceCaller>;
  close(): void;
}

/**
 * Checks keys and tokens, and caches valid ones for a few seconds; a revocation here takes effect at once.
 * Without an issuer, only Parley's own tokens are accepted.
 */
export function createCredentials(core: Process, issuer?: TokenIssuer): Credentials {
  const cacheOf = <Found extends Caller>(load: ReadThroughCacheParts<Found>["load"]) =>
    createReadThroughCache<Found>(core.now, {
      subscribe: (onChange) => core.bus.subscribe("keys", onChange),
      load,
      isAffected: (workspaceId, _hash, caller) =>
        caller === undefined || workspaceIdOf(caller) === workspaceId,
    });
  const keys = cacheOf<Caller>((hash) => findKey(core, hash));
  const tokens = cacheOf<WorkspaceCaller>((hash) => findToken(core, hash));
  const unusual = createReadThroughCache(core.now, {
    subscribe: (onChange) => core.bus.subscribe("keys", onChange),
    load: () => readUnusual(core),
    // A revoked key may stay in the set: it is then looked up.
    isAffected: () => false,
  });
  const sessions = createReadThroughCache<StoredSession>(core.now, {
    subscribe: (onChange) => core.bus.subscribe("keys", onChange),
    load: (hash) => findSession(core, hash),
    isAffected: () => true,
  });
  /** The caller that a session stands for. */
  const callerOf = async (session: StoredSession | undefined): Promise<Caller | undefined> => {
    if (session === undefined || session.expiresAt <= core.now()) return undefined;
    const { hash, credentialHash, expiresAt, ofUserToken } = session;
    const caller = await (ofUserToken ? tokens.get(credentialHash) : keys.get(credentialHash));
    return caller && { ...caller, session: { hash, expiresAt } };
  };
  const isStored = createStoredHashes(core);
  const isCached = (hash: string) => [keys, tokens, sessions].some((cache) => cache.has(hash));
  const find = async (secret: string, isDoubtful: boolean): Promise<Caller | undefined> => {
    const hash = hashSecret(secret);
    if (isDoubtful && !isCached(hash) && !(await isStored(hash))) return undefined;
    if (SESSION_PATTERN.test(secret)) return callerOf(await sessions.get(hash));
    if (SIGN_IN_CODE_PATTERN.test(secret)) return callerOf(await takeCode(core, hash));
    if (USER_TOKEN_PATTERN.test(secret)) return isMistyped(secret) ? undefined : tokens.get(hash);
    if (isMistyped(secret) && !(await unusual.get(""))?.has(hash)) return undefined;
    return keys.get(hash);
  };
  return {
    authenticate: async (header, { takesCodes = false, isDoubtful = false } = {}) => {
      const credential = parseAuthorization(header);
      const known = takesCodes ? [...ownForms, SIGN_IN_CODE_PATTERN] : ownForms;
      const isKnownForm = known.some((form) => form.test(credential));
      if (!isKnownForm && (issuer === undefined || !JWT_PATTERN.test(credential))) {
        throw malformed();
      }
      const caller = isKnownForm
        ? await find(credential, isDoubtful)
        : await issuer?.authenticate(credential);
      if (caller === undefined) throw new ParleyError("invalid_api_key_error", invalid(credential));
      if (isExpired(caller, core.now())) throw new KnownKeyRefused(caller);
      if (caller.kind === "workspace") requireNotSuspended(caller.workspace);
      return caller;
    },
    close: () => {
      keys.close();
      tokens.close();
      sessions.close();
      unusual.close();
      issuer?.close();
    },
  };
}

function workspaceIdOf(caller: Caller): number | null {
  return caller.kind === "workspace" ? caller.workspace.id : null;
}

/** The credentials that Parley itself gives out. */
const ownForms = [API_KEY_PATTERN, USER_TOKEN_PATTERN, SESSION_PATTERN];

/** A JSON Web Token in its compact form. */
const JWT_PATTERN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

function parseAuthorization(header: string | undefined): string {
  if (header === undefined) {
    throw new ParleyError(
      "not_authenticated",
      "The Authorization header is missing: send `Authorization: Bearer <API key>`",
    );
  }
  const credential = /^bearer +(\S+) *$/i.exec(header)?.[1];
  if (credential === undefined) throw malformed();
  return credential;
}

function malformed(): ParleyError {
  return new ParleyError(
    "malformed_authorization_header_error",
    "The Authorization header must be `Bearer <API key>`, with a key that begins with sk-, or a user token that begins with ut-",
  );
}

function invalid(refused: Caller | string): string {
  const isSession =
    typeof refused === "string"
      ? SESSION_PATTERN.test(refused) || SIGN_IN_CODE_PATTERN.test(refused)
      : refused.session !== undefined;
  if (isSession) return "The session has ended, or its code has been used: sign in again";
  const isToken =
    typeof refused === "string"
      ? USER_TOKEN_PATTERN.test(refused)
      : refused.kind === "workspace" && refused.userToken !== undefined;
  return isToken ? "The user token is not valid: it may have expired" : "The API key is not valid";
}

/** Whether a key was revoked, is disabled, or has expired, or the token that acts under it. */
function isExpired(caller: Caller, now: number): boolean {
  const { revokedAt, disabledAt, expiresAt } = caller.apiKey;
  const tokenEnd = caller.kind === "workspace" ? caller.userToken?.expiresAt : undefined;
  return (
    revokedAt !== null ||
    disabledAt !== null ||
    (expiresAt !== null && expiresAt <= now) ||
    (tokenEnd !== undefined && tokenEnd <= now)
  );
}

/**
 * The hashes of keys that were set by hand and look like a mistyped generated key. Others that look
 * mistyped are refused without a query.
 */
async function readUnusual(core: Process): Promise<ReadonlySet<string>> {
  const { db } = core.database;
  const rows = await db
    .select({ hash: apiKeys.hash })
    .from(apiKeys)
    .where(eq(apiKeys.looksMistyped, true))
    .union(
      db
        .select({ hash: rotatedSecrets.hash })
        .from(rotatedSecrets)
        .where(eq(rotatedSecrets.looksMistyped, true)),
    );
  return new Set(rows.map((row) => row.hash));
}

/** The caller of a key's secret; one from before a rotation expires with its overlap. */
async function findKey(core: Process, hash: string): Promise<Caller | undefined> {
  const { db } = core.database;
  const rotated = eq(rotatedSecrets.hash, hash);
  const ofRotated = db.select({ id: rotatedSecrets.apiKeyId }).from(rotatedSecrets).where(rotated);
  const [row] = await db
    .select({
      apiKey: apiKeys,
      workspace: workspaces,
      user: users,
      secretExpiresAt: rotatedSecrets.expiresAt,
      isBudgeted: isBudgeted(sql`${workspaces.id}`),
    })
    .from(apiKeys)
    .leftJoin(rotatedSecrets, and(rotated, eq(rotatedSecrets.apiKeyId, apiKeys.id)))
    .leftJoin(workspaces, eq(workspaces.id, apiKeys.workspaceId))
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .where(or(eq(apiKeys.hash, hash), eq(apiKeys.id, ofRotated)));
  if (row === undefined) return undefined;
  const { workspace, user, secretExpiresAt, isBudgeted: hasBudgets } = row;
  const ends = [row.apiKey.expiresAt, secretExpiresAt].filter((end) => end !== null);
  const apiKey = { ...row.apiKey, expiresAt: ends.length === 0 ? null : Math.min(...ends) };
  const credentialHash = hash;
  if (apiKey.role === "operator") return { kind: "operator", apiKey, credentialHash };
  if (workspace === null || user === null) return undefined;
  return {
    kind: "workspace",
    apiKey,
    workspace,
    user,
    isBudgeted: hasBudgets,
    credentialHash,
  };
}

/** The caller of a token, of a user who was not removed. */
async function findToken(core: Process, hash: string): Promise<WorkspaceCaller | undefined> {
  const [row] = await core.database.db
    .select({
      token: userTokens,
      apiKey: apiKeys,
      workspace: workspaces,
      user: users,
      isBudgeted: isBudgeted(sql`${workspaces.id}`),
    })
    .from(userTokens)
    .innerJoin(apiKeys, eq(apiKeys.id, userTokens.apiKeyId))
    .innerJoin(workspaces, eq(workspaces.id, userTokens.workspaceId))
    .innerJoin(users, eq(users.id, userTokens.userId))
    .where(and(eq(userTokens.hash, hash), isNull(users.removedAt)));
  if (row === undefined) return undefined;
  const { sid, scopes, spaceIds, expiresAt } = row.token;
  const token = { sid, scopes: new Set(scopes), spaceIds, expiresAt };
  return { ...actingAs(row, token), credentialHash: hash };
}

/** Throws `workspace_suspended` for a workspace that an operator has suspended. */
export function requireNotSuspended({ suspendedAt }: WorkspaceRow): void {
  if (suspendedAt === null) return;
  const message = "The workspace is suspended: ask an operator of the server to resume it";
  throw new ParleyError("workspace_suspended", message);
}

/**
 * The caller as one of the workspace `wId`. Throws `workspace_auth_error`, the same whether or not the
 * workspace exists.
 */
export function requireWorkspace(caller: Caller, wId: string): WorkspaceCaller {
  if (caller.kind === "workspace" && caller.workspace.sid === wId) return caller;
  throw foreignWorkspace();
}

/** The error for a key of another workspace, or of a deleted one. */
export function foreignWorkspace(): ParleyError {
  const message =
    "The API key is not a key of this workspace: use a key of the workspace in the path";
  return new ParleyError("workspace_auth_error", message);
}
