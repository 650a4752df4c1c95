/** Tokens that are for less than a call needs (RFC 6750, `insufficient_scope`): their user is asked for more. */
import { toolAuthorizations } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { askedScope, findAuthorization, type HeldToken, whereSeen } from "./personal-tokens.ts";
import { revokeStored } from "./revoke-stored.ts";
import { findMissingScope, isAside, joinScopes } from "./authorization-rows.ts";
import type { StoredConnection } from "./tool-connections.ts";
import type { ToolServerFailure, ToolServices } from "./tool-servers.ts";

const MAX_SCOPE = 2048;

/** Whether a server refused a call because its token is for less. */
export function lacksScope(answer: unknown): answer is ToolServerFailure {
  const { type, code, authorization } = answer as Partial<ToolServerFailure>;
  return type === "failed" && code === "forbidden" && authorization?.error === "insufficient_scope";
}

/**
 * Puts a token aside that is for less than its server needs: calls wait until the user has allowed the scopes of before
 * and those that the server names. A server that names what the user has allowed already asks nobody again. Gives the
 * failure of the call, which says whether the user is asked, and when: once the token is revoked. Afterwards, its end
 * could be that of the next one too, if an authorization server has one grant for a user.
 */
export async function requestScopes(
  core: Pick<Process, "database" | "onLateFailure"> & SecretServices & ToolServices,
  stored: Pick<StoredConnection, "tool" | "connection">,
  { failure, held }: { readonly failure: ToolServerFailure; readonly held: HeldToken },
): Promise<ToolServerFailure> {
  const { scope = "" } = failure.authorization ?? {};
  const { db } = core.database;
  const because = (why: string) => ({ ...failure, message: `${failure.message}: ${why}` });
  const missing = `it needs the scope "${scope}", which the user has not granted yet: call the tool again to ask the user`;
  const asks = { ...because(missing), asksUser: Promise.resolve() };
  if (scope === "") {
    return because("its token has too narrow a scope, and the server does not say what it needs");
  }
  const row = await findAuthorization(db, held);
  // The call was made with an older token than the user's.
  if (row !== undefined && row.generation !== held.generation) return asks;
  // Another call has put the token aside.
  const aside = row === undefined ? await findMissingScope(db, held) : null;
  // Taken back in the meantime: the next call shows what holds.
  if (row === undefined && aside === null) return failure;
  const allowed = joinScopes(aside ?? row?.scope ?? askedScope(stored));
  const union = joinScopes(allowed, scope);
  if (union === allowed) {
    const known = `it needs the scope "${scope}", which its user has allowed already`;
    return aside === null ? because(known) : asks;
  }
  if (union.length > MAX_SCOPE) return because("it needs more scopes than can be asked for");
  const changed = await db
    .update(toolAuthorizations)
    .set({
      token: null,
      tokenUntil: 0,
      refreshToken: null,
      scope: union,
      generation: sql`${toolAuthorizations.generation} + 1`,
    })
    .where(aside === null ? whereSeen(held) : isAside(held))
    .returning({ userId: toolAuthorizations.userId });
  if (changed.length === 0 || row === undefined) return asks;
  return { ...asks, asksUser: revokeStored(core, stored, row) };
}
