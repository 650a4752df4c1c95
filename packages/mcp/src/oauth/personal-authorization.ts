import { FetchFault, type Guard } from "@parley/guarded-fetch";
import {
  type AuthorizationServer,
  hasFailed,
  type Introduction,
  type OAuthClient,
  type OAuthFailure,
  type OAuthOptions,
  type Party,
  type PersonalAuthorization,
} from "./contract.ts";
import { exchangeCode, findFault, refreshTokens, startAuthorization } from "./tokens.ts";
import {
  OAuthError,
  parseErrorResponse,
  registerClient as register,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import { hasPublicName } from "./endpoint-sites.ts";
import { toClientInformation, toMetadata } from "./metadata.ts";
import { takeStep } from "./take-step.ts";

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

/**
 * Becomes a client of an authorization server: by the URL of a document, if that is taken, can be read from outside
 * and redirects name the issuer, or by dynamic registration. The order is that of MCP.
 */
export async function registerClient(
  guard: Guard,
  server: AuthorizationServer,
  options: OAuthOptions & { readonly introduction: Introduction },
): Promise<OAuthClient | OAuthFailure> {
  const { name, redirectUrl, scope, clientMetadataUrl } = options.introduction;
  if (clientMetadataUrl !== undefined && takesDocument(server, new URL(clientMetadataUrl))) {
    return { clientId: clientMetadataUrl, authenticationMethod: "none" };
  }
  return takeStep(guard, options, async (fetch) => {
    if (server.endpoints.registration === undefined) {
      const message = "The authorization server registers no clients: enter one that it knows";
      throw new FetchFault("rejected", message);
    }
    const registered = await register(server.issuer, {
      metadata: toMetadata(server),
      clientMetadata: {
        client_name: name,
        redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
        ...(redirectUrl === undefined
          ? { grant_types: ["client_credentials"], response_types: [] }
          : { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] }),
        ...(scope !== undefined && { scope }),
      },
      fetchFn: fetch,
    });
    const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } =
      registered;
    return {
      clientId: client_id,
      ...(client_secret !== undefined && { clientSecret: client_secret }),
      ...(token_endpoint_auth_method !== undefined && {
        authenticationMethod: token_endpoint_auth_method,
      }),
      // 0 is never.
      ...(client_secret_expires_at && { expiresAt: client_secret_expires_at * 1000 }),
    };
  });
}

/** Whether the server takes the URL of a document as the id of a client that has no secret, and can read it. */
function takesDocument(server: AuthorizationServer, url: URL): boolean {
  const { takesClientMetadataUrls, namesIssuer, authenticationMethods: methods } = server;
  const takesPublicClients = methods.length === 0 || methods.includes("none");
  const isReadable = url.protocol === "https:" && hasPublicName(url);
  return takesClientMetadataUrls && namesIssuer && takesPublicClients && isReadable;
}

/** Revokes a token (RFC 7009) if the authorization server has an endpoint for it. */
export async function revokeToken(
  guard: Guard,
  { server, client }: Party,
  options: OAuthOptions & {
    readonly token: string;
    readonly hint: "access_token" | "refresh_token";
  },
): Promise<{ readonly type: "revoked" | "unsupported" } | OAuthFailure> {
  const { token, hint } = options;
  const { revocation } = server.endpoints;
  if (revocation === undefined) return { type: "unsupported" };
  return takeStep(guard, { ...options, secrets: [client.clientSecret, token] }, async (fetch) => {
    const method = selectClientAuthMethod(toClientInformation(client), [
      ...server.authenticationMethods,
    ]);
    const { headers, parameters } = authenticate(client, method);
    const body = new URLSearchParams({ token, token_type_hint: hint, ...parameters });
    const response = await fetch(revocation, { method: "POST", headers, body });
    if (response.ok) return { type: "revoked" };
    const error = await parseErrorResponse(response);
    throw new OAuthError(error.code, error.message);
  });
}

function authenticate(client: OAuthClient, method: string) {
  const { clientId, clientSecret = "" } = client;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  if (method !== "client_secret_basic") {
    const isSecret = method === "client_secret_post";
    const parameters = { client_id: clientId, ...(isSecret && { client_secret: clientSecret }) };
    return { headers: form, parameters };
  }
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
  return { headers: { ...form, authorization }, parameters: {} };
}
