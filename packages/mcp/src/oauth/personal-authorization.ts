import type { Guard } from "@parley/guarded-fetch";
import {
  type AuthorizationServer,
  hasFailed,
  type OAuthFailure,
  type OAuthOptions,
  type PersonalAuthorization,
} from "./contract.ts";
import { registerClient } from "./register-client.ts";
import { revokeToken } from "./revoke-token.ts";
import { exchangeCode, findFault, refreshTokens, startAuthorization } from "./tokens.ts";

/** Finds the authorization server of an MCP server. */
export type Discover = (
  serverUrl: string,
  options: OAuthOptions,
) => Promise<AuthorizationServer | OAuthFailure>;

/** The steps of OAuth with a person, through a guarded fetch. */
export function createPersonalAuthorization(
  guard: Guard,
  discover: Discover,
): PersonalAuthorization {
  return {
    prepare: async (serverUrl, { client: known, introduction, ...options }) => {
      const server = await discover(serverUrl, options);
      if (hasFailed(server)) return server;
      const fault = findFault(server);
      if (fault !== undefined) return { type: "failed", code: "rejected", message: fault };
      // What is asked for later has to be registered too.
      const { scopes = [], supportedScopes = [] } = server;
      const all = [...new Set([...scopes, ...supportedScopes])].join(" ");
      const { scope = all === "" ? undefined : all } = introduction;
      const client =
        known ??
        (await registerClient(guard, server, {
          ...options,
          introduction: { ...introduction, ...(scope !== undefined && { scope }) },
        }));
      return hasFailed(client) ? client : { server, client };
    },
    start: async ({ server, client }, request) => {
      const { scope = server.scopes?.join(" ") } = request;
      return startAuthorization(server, client, { ...request, ...(scope && { scope }) });
    },
    exchange: async (party, options) => exchangeCode(guard, party, options),
    refresh: async (party, options) => refreshTokens(guard, party, options),
    revoke: async (party, options) => revokeToken(guard, party, options),
  };
}
