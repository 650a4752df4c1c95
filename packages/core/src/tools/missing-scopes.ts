/** Tokens that are for less than a call needs (RFC 6750, `insufficient_scope`): their user is asked for more. */
import { toolAuthorizations } from "@parley/db";
import type { Process } from "../context.ts";
import { findAuthorization, type HeldToken, whereSeen } from "./personal-tokens.ts";
import { joinScopes } from "./scopes.ts";
import type { ToolServerFailure } from "./tool-servers.ts";

const MAX_SCOPE = 2048;

/** Whether a server refused a call because its token is for less. */
export function lacksScope(answer: unknown): answer is ToolServerFailure {
  const { type, code, authorization } = answer as Partial<ToolServerFailure>;
  return type === "failed" && code === "forbidden" && authorization?.error === "insufficient_scope";
}

/**
 * Puts a token aside that is for less than its server needs: the user's next call waits until the user has allowed
 * the scopes of before and those that the server names. A server that names what the user has allowed already asks
 * nobody again. Gives the failure of the call, which says what happens next.
 */
export async function requestScopes(
  { database }: Pick<Process, "database">,
  failure: ToolServerFailure,
  { held, scope: asked }: { readonly held: HeldToken; readonly scope: string | undefined },
): Promise<ToolServerFailure> {
  const { scope = "" } = failure.authorization ?? {};
  const row = await findAuthorization(database.db, held);
  // Replaced or taken back meanwhile: the next call shows what holds.
  if (row?.generation !== held.generation) return failure;
  const allowed = joinScopes(row.scope ?? asked);
  const union = joinScopes(allowed, scope);
  const because = (why: string) => ({ ...failure, message: `${failure.message}: ${why}` });
  if (scope === "")
    return because("its token is for less, and the server does not say what it needs");
  if (union === allowed) {
    return because(`it needs the scope "${scope}", which its user has allowed already`);
  }
  if (union.length > MAX_SCOPE) return because("it needs more scopes than can be asked for");
  await database.db
    .update(toolAuthorizations)
    .set({
      token: null,
      tokenUntil: 0,
      refreshToken: null,
      scope: union,
      generation: held.generation + 1,
    })
    .where(whereSeen(held));
  return because(
    `it needs the scope "${scope}", which its user has not allowed yet: call the tool again, and the user is asked`,
  );
}
