import type { Process } from "../context.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import type { AuthorizationRow } from "./authorization-rows.ts";
import { partyOf } from "./personal-tokens.ts";
import { type IssuedTokens, revokeTokens } from "./revoke-tokens.ts";
import type { StoredConnection } from "./tool-connections.ts";
import { openSecret } from "./tool-secrets.ts";
import type { ToolServices } from "./tool-servers.ts";

const REVOKE_MS = 10_000;

/**
 * Revokes the tokens of an authorization that is no longer stored, at its authorization server, for as long as ten
 * seconds. Never throws.
 */
export async function revokeStored(
  core: Pick<Process, "onLateFailure"> & SecretServices & ToolServices,
  stored: Pick<StoredConnection, "tool" | "connection">,
  { token, refreshToken, userId }: AuthorizationRow,
): Promise<void> {
  const place = { tool: stored.tool, name: "authorization", userId } as const;
  try {
    const tokens: IssuedTokens = {
      ...(token !== null && { accessToken: openSecret(core, token, place) }),
      ...(refreshToken !== null && { refreshToken: openSecret(core, refreshToken, place) }),
    };
    await revokeTokens(core, partyOf(core, stored), {
      tokens,
      signal: AbortSignal.timeout(REVOKE_MS),
    });
  } catch (error) {
    core.onLateFailure(error);
  }
}
