import type { OAuthTokens, Party } from "@parley/mcp";
import type { ToolServices } from "./tool-servers.ts";

const REVOKE_TIMEOUT_MS = 5000;

/** What was issued, as far as it is known. */
export type IssuedTokens = Partial<Pick<OAuthTokens, "accessToken" | "refreshToken">>;

/** Revokes what was issued at its authorization server, as far as that takes it, within ten seconds. */
export async function revokeTokens(
  { toolServers }: ToolServices,
  party: Party,
  { tokens, signal }: { readonly tokens: IssuedTokens; readonly signal: AbortSignal },
): Promise<void> {
  const limits = { timeoutMs: REVOKE_TIMEOUT_MS, signal };
  const { accessToken, refreshToken } = tokens;
  const { revoke } = toolServers.authorization;
  if (refreshToken !== undefined) {
    await revoke(party, { ...limits, token: refreshToken, hint: "refresh_token" });
  }
  if (accessToken !== undefined) {
    await revoke(party, { ...limits, token: accessToken, hint: "access_token" });
  }
}
