import { apiKeys, users, workspaces } from "@parley/db";
import { API_KEY_PATTERN, ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { Caller, Process, WorkspaceCaller } from "../context.ts";
import { createReadThroughCache } from "../data-access/read-through-cache.ts";
import { hashApiKey, isMistyped } from "./key-secrets.ts";

const INVALID_KEY = "The API key is not valid";

/** The error for a known key that was revoked, is disabled, or has expired. */
export class KnownKeyRefused extends ParleyError {
  readonly caller: Caller;

  constructor(caller: Caller) {
    super("invalid_api_key_error", INVALID_KEY);
    this.caller = caller;
  }
}

export interface Credentials {
  /** The caller of an `Authorization` header. Throws the 401 that fits. */
  authenticate(header: string | undefined): Promise<Caller>;
  close(): void;
}

/** Checks keys and caches valid ones for a few seconds; a revocation here takes effect at once. */
export function createCredentials(core: Process): Credentials {
  const callers = createReadThroughCache(core.now, {
    subscribe: (onChange) => core.bus.subscribe("keys", onChange),
    load: (hash) => findCaller(core, hash),
    isAffected: (workspaceId, _hash, caller) =>
      caller === undefined || workspaceIdOf(caller) === workspaceId,
  });
  const unusual = createReadThroughCache(core.now, {
    subscribe: (onChange) => core.bus.subscribe("keys", onChange),
    load: () => readUnusual(core),
    // A revoked key may stay in the set: it is then looked up.
    isAffected: () => false,
  });
  return {
    authenticate: async (header) => {
      const secret = parseAuthorization(header);
      const hash = hashApiKey(secret);
      if (isMistyped(secret) && !(await unusual.get(""))?.has(hash)) throw invalidKey();
      const caller = await callers.get(hash);
      if (caller === undefined) throw invalidKey();
      if (isExpired(caller, core.now())) throw new KnownKeyRefused(caller);
      return caller;
    },
    close: () => {
      callers.close();
      unusual.close();
    },
  };
}

function workspaceIdOf(caller: Caller): number | null {
  return caller.kind === "workspace" ? caller.workspace.id : null;
}

function parseAuthorization(header: string | undefined): string {
  if (header === undefined) {
    throw new ParleyError(
      "not_authenticated",
      "The Authorization header is missing: send `Authorization: Bearer <API key>`",
    );
  }
  const match = /^bearer +(\S+) *$/i.exec(header);
  const key = match?.[1];
  if (key === undefined || !API_KEY_PATTERN.test(key)) {
    throw new ParleyError(
      "malformed_authorization_header_error",
      "The Authorization header must be `Bearer <API key>`, with a key that begins with sk-",
    );
  }
  return key;
}

function invalidKey(): ParleyError {
  return new ParleyError("invalid_api_key_error", INVALID_KEY);
}

/** Whether a key was revoked, is disabled, or has expired. */
function isExpired({ apiKey: { revokedAt, disabledAt, expiresAt } }: Caller, now: number): boolean {
  return revokedAt !== null || disabledAt !== null || (expiresAt !== null && expiresAt <= now);
}

/**
 * The hashes of keys that were set by hand and look like a mistyped generated key. Others that look
 * mistyped are refused without a query.
 */
async function readUnusual(core: Process): Promise<ReadonlySet<string>> {
  const rows = await core.database.db
    .select({ hash: apiKeys.hash })
    .from(apiKeys)
    .where(eq(apiKeys.looksMistyped, true));
  return new Set(rows.map((row) => row.hash));
}

async function findCaller(core: Process, hash: string): Promise<Caller | undefined> {
  const [row] = await core.database.db
    .select({ apiKey: apiKeys, workspace: workspaces, user: users })
    .from(apiKeys)
    .leftJoin(workspaces, eq(workspaces.id, apiKeys.workspaceId))
    .leftJoin(users, eq(users.id, apiKeys.userId))
    .where(eq(apiKeys.hash, hash));
  if (row === undefined) return undefined;
  const { apiKey, workspace, user } = row;
  if (apiKey.role === "operator") return { kind: "operator", apiKey };
  if (workspace === null || user === null) return undefined;
  return { kind: "workspace", apiKey, workspace, user };
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
