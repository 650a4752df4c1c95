import { apiKeys, type Queryable, users, workspaces } from "@parley/db";
import { isStorable, ParleyError, TokenScope, toStorable } from "@parley/schema";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { actingAs, findByExternalId, introduceUser } from "../access/acting-users.ts";
import { requireNotSuspended, type TokenIssuer } from "../access/credentials.ts";
import { generateApiKey } from "../access/key-secrets.ts";
import type { Process, WorkspaceCaller } from "../context.ts";
import { createReadThroughCache } from "../data-access/read-through-cache.ts";
import type { ApiKeyRow, WorkspaceRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { isBudgeted } from "../money/is-budgeted.ts";
import { insertApiKey } from "./api-keys.ts";
import { createTokenVerifier, type Issuer, type VerifiedClaims } from "./issuer-tokens.ts";

/** An issuer, and the workspace of its users: the same for all, or the one that a claim names. */
export interface IssuerOfUsers extends Issuer {
  readonly workspace: { readonly sid: string } | { readonly claim: string };
}

type Identity = Pick<WorkspaceCaller, "apiKey" | "workspace" | "user" | "isBudgeted">;

const allScopes = new Set(TokenScope.options);

/**
 * Accepts an issuer's tokens as those of users: the external id is `sub`, and the first token creates the
 * user. They act under a key of the workspace that stands for the issuer, which admins may restrict.
 */
export function createTokenIssuer(core: Process, issuer: IssuerOfUsers): TokenIssuer {
  const verify = createTokenVerifier(issuer, core.now);
  const known = createReadThroughCache<Identity>(core.now, {
    subscribe: (onChange) => core.bus.subscribe("keys", onChange),
    load: (name) => findIdentity(core, issuer, JSON.parse(name) as Names),
    isAffected: (workspaceId, _name, identity) =>
      identity === undefined || identity.workspace.id === workspaceId,
  });
  return {
    authenticate: async (token) => {
      const claims = await verify(token);
      const { workspace } = issuer;
      const named = "sid" in workspace ? workspace.sid : claims[workspace.claim];
      if (typeof named !== "string" || !isStorable(named))
        throw refused("it does not name a workspace");
      const names: Names = [named, claims.sub];
      const identity =
        (await known.get(JSON.stringify(names))) ??
        (await introduce(core, issuer, { names, claims }));
      return actingAs(identity, {
        sid: null,
        scopes: allScopes,
        spaceIds: undefined,
        expiresAt: claims.exp * 1000,
      });
    },
    close: known.close,
  };
}

/** Public id of a workspace, and the external id of a user in it. */
type Names = [workspaceSid: string, externalId: string];

async function findIdentity(
  { database: { db } }: Process,
  { url }: Issuer,
  [sid, externalId]: Names,
): Promise<Identity | undefined> {
  const [row] = await db
    .select({
      workspace: workspaces,
      apiKey: apiKeys,
      user: users,
      isBudgeted: isBudgeted(sql`${workspaces.id}`),
    })
    .from(workspaces)
    .innerJoin(apiKeys, and(eq(apiKeys.workspaceId, workspaces.id), eq(apiKeys.issuer, url)))
    .innerJoin(
      users,
      and(
        eq(users.workspaceId, workspaces.id),
        eq(users.externalId, externalId),
        isNull(users.removedAt),
      ),
    )
    .where(and(eq(workspaces.sid, sid), isNull(workspaces.deletedAt)));
  return row;
}

/** Creates the user of a first token, and the key of the issuer if the workspace has none. */
async function introduce(
  core: Process,
  { url }: Issuer,
  { names: [sid, externalId], claims }: { names: Names; claims: VerifiedClaims },
): Promise<Identity> {
  return inTransaction(core, async ({ db }) => {
    // First tokens of a workspace come one after the other.
    const [workspace] = await db
      .select()
      .from(workspaces)
      .where(and(eq(workspaces.sid, sid), isNull(workspaces.deletedAt)))
      .for("no key update");
    if (workspace === undefined) throw refused("it does not name a workspace of this server");
    requireNotSuspended(workspace);
    const apiKey = await findOrCreateKey(core, db, { workspace, url });
    const workspaceId = workspace.id;
    const known = await findByExternalId(db, workspaceId, externalId);
    if (known === undefined) await requireNotRemoved(db, workspaceId, externalId);
    const profile = profileOf(claims);
    const user =
      known ??
      (await introduceUser(core, db, { workspaceId, externalId, profile })) ??
      // The address is that of another user, who keeps it.
      (await introduceUser(core, db, {
        workspaceId,
        externalId,
        profile: { ...profile, email: undefined },
      }));
    if (user === undefined) throw new Error(`The user ${externalId} was not written`);
    // Only the request of a first token: its calls of models are held to budgets all the same.
    return { apiKey, workspace, user, isBudgeted: false };
  });
}

async function findOrCreateKey(
  core: Process,
  db: Queryable,
  { workspace, url }: { workspace: WorkspaceRow; url: string },
): Promise<ApiKeyRow> {
  const [known] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.workspaceId, workspace.id), eq(apiKeys.issuer, url)));
  return (
    known ??
    insertApiKey(core, db, {
      workspaceId: workspace.id,
      name: `OpenID Connect: ${url}`,
      // The tokens of its users reach all that belongs to them, whichever key created it.
      role: "builder",
      issuer: url,
      // Nobody gets to know it.
      secret: generateApiKey(),
    })
  );
}

/** Whom an admin has removed does not come back with the next token. */
async function requireNotRemoved(
  db: Queryable,
  workspaceId: number,
  externalId: string,
): Promise<void> {
  const removed = and(
    eq(users.workspaceId, workspaceId),
    eq(users.externalId, externalId),
    isNotNull(users.removedAt),
  );
  if ((await db.$count(users, removed)) > 0) {
    throw refused("its user was removed from the workspace");
  }
}

/** What the claims say of a user; an address that is not verified could be anybody's. */
function profileOf(claims: VerifiedClaims) {
  const text = (name: string): string | undefined => {
    const value = claims[name];
    return typeof value === "string" ? toStorable(value.slice(0, 255)) || undefined : undefined;
  };
  return {
    email: claims["email_verified"] === true ? text("email") : undefined,
    username: text("preferred_username"),
    firstName: text("given_name") ?? text("name"),
    lastName: text("family_name"),
  };
}

function refused(why: string): ParleyError {
  return new ParleyError("invalid_api_key_error", `The issuer's token is not accepted: ${why}`);
}
