import { apiKeys, users, workspaces } from "@parley/db";
import { API_KEY_PATTERN, ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import { hashApiKey } from "./api-keys.ts";
import type { Caller, Core, WorkspaceCaller } from "./context.ts";

/** How long a key is believed without asking the database: the bound on a revocation elsewhere. */
const TRUST_MS = 5000;
const MAX_TRUSTED = 10_000;

export interface Credentials {
  /** The caller behind an `Authorization` header. Throws the 401 that fits. */
  authenticate(header: string | undefined): Promise<Caller>;
  close(): void;
}

/** Checks keys, remembering good ones for a few seconds; a revocation here is effective at once. */
export function createCredentials(core: Core): Credentials {
  const trusted = new Map<string, { caller: Caller; until: number }>();
  let revocations = 0;
  const unsubscribe = core.bus.subscribe("keys", ({ hash }) => {
    revocations++;
    trusted.delete(hash);
  });
  return {
    authenticate: async (header) => {
      const hash = hashApiKey(parseAuthorization(header));
      const known = trusted.get(hash);
      if (known !== undefined && known.until > core.now()) {
        refuseExpired(known.caller, core.now());
        return known.caller;
      }
      const before = revocations;
      const caller = await findCaller(core, hash);
      if (caller === undefined) throw invalidKey();
      refuseExpired(caller, core.now());
      // It may have been revoked since it was read.
      if (before !== revocations) return caller;
      // The oldest entry goes first: a Map keeps the order of insertion.
      trusted.delete(hash);
      if (trusted.size >= MAX_TRUSTED) trusted.delete(trusted.keys().next().value ?? "");
      trusted.set(hash, { caller, until: core.now() + TRUST_MS });
      return caller;
    },
    close: unsubscribe,
  };
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
  return new ParleyError("invalid_api_key_error", "The API key is not valid");
}

function refuseExpired(caller: Caller, now: number): void {
  const { revokedAt, expiresAt } = caller.apiKey;
  if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) throw invalidKey();
}

async function findCaller(core: Core, hash: string): Promise<Caller | undefined> {
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
 * Gives the caller as one of the workspace `wId`. Throws `workspace_auth_error`, the same whether
 * or not there is such a workspace.
 */
export function requireWorkspace(caller: Caller, wId: string): WorkspaceCaller {
  if (caller.kind === "workspace" && caller.workspace.sid === wId) return caller;
  throw new ParleyError(
    "workspace_auth_error",
    "The API key is not a key of this workspace: use a key of the workspace in the path",
  );
}
