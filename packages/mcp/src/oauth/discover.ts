import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import { FetchFault, type Guard, requireAllowedUrl } from "@parley/guarded-fetch";
import { isStorable } from "@parley/schema";
import type { AuthorizationServer, OAuthFailure, OAuthOptions } from "./contract.ts";
import { isOfIssuer } from "./endpoint-sites.ts";
import { takeStep } from "./take-step.ts";

/** How an authorization server is looked for. */
export interface DiscoveryOptions extends OAuthOptions {
  /** Where a 401 says that the metadata is. */
  readonly resourceMetadataUrl?: string;
  /** What a 401 says that a token needs: it comes before the scopes of the metadata. */
  readonly scope?: string;
  /** Hosts of endpoints that the operator allows, each with its issuer: `accounts.example=api.example.net`. */
  readonly endpointHosts?: readonly string[];
}

/**
 * Finds the authorization server of an MCP server: by its metadata (RFC 9728), which a 401 may name, or at
 * its own origin, and that server's endpoints (RFC 8414, OpenID), or those of MCP 2025-03-26 if nothing is described.
 * The metadata must be of this MCP server.
 */
export async function discoverAuthorizationServer(
  guard: Guard,
  serverUrl: string,
  options: DiscoveryOptions,
): Promise<AuthorizationServer | OAuthFailure> {
  return takeStep(guard, options, async (fetch) => {
    const url = requireAllowedUrl(serverUrl, guard.isAllowedHost);
    const described = await describeResource(url, options.resourceMetadataUrl, fetch);
    const issuerUrl = described?.authorization_servers?.[0] ?? `${url.origin}/`;
    const metadata =
      (await discoverAuthorizationServerMetadata(issuerUrl, { fetchFn: fetch })) ??
      (described === undefined ? defaultMetadata(url) : undefined);
    if (metadata === undefined) {
      throw new FetchFault(
        "bad_answer",
        `${new URL(issuerUrl).host} describes no authorization server`,
      );
    }
    const scopes = options.scope?.split(" ").filter(Boolean) ?? described?.scopes_supported;
    const server = toAuthorizationServer(guard, url, { described, metadata, scopes });
    const { endpointHosts = [] } = options;
    await requireOwnEndpoints(issuerUrl, server, { fetch, endpointHosts });
    return server;
  });
}

/**
 * Throws a `FetchFault` for metadata that names an endpoint of another site: the codes, verifiers and secrets that are
 * meant for one site would reach the other. Endpoints are the issuer's own, or what the site that has the page says
 * of itself.
 */
async function requireOwnEndpoints(
  issuerUrl: string,
  { endpoints }: AuthorizationServer,
  { fetch, endpointHosts }: { fetch: FetchLike; endpointHosts: readonly string[] },
): Promise<void> {
  const issuer = new URL(issuerUrl);
  const isOwn = (endpoint: string) => isOfIssuer(issuer, new URL(endpoint), endpointHosts);
  const { authorization } = endpoints;
  const foreign = Object.entries(endpoints).filter(([, endpoint]) => !isOwn(endpoint));
  if (foreign.length === 0) return;
  const hasOwnPage = authorization === undefined || isOwn(authorization);
  const named = hasOwnPage ? [] : await readEndpoints(new URL(authorization).origin, fetch);
  // Without its token endpoint, the site has not said that these are its own.
  const refused = named.includes(endpoints.token)
    ? foreign.find(([name, url]) => name !== "authorization" && !named.includes(url))
    : foreign[0];
  if (refused === undefined) return;
  const [name, url] = refused;
  const pair = `${issuer.host}=${new URL(url).host}`;
  throw new FetchFault(
    "rejected",
    `The authorization server ${issuer.host} names a ${name} endpoint of another site, which does not vouch for it: ` +
      `an operator who knows that both are one allows it with PARLEY_OAUTH_ENDPOINT_HOSTS=${pair}`,
  );
}

/** The endpoints to which a site sends codes and secrets, as its own metadata names them; none if it has none. */
async function readEndpoints(origin: string, fetch: FetchLike): Promise<string[]> {
  const metadata = await discoverAuthorizationServerMetadata(`${origin}/`, {
    fetchFn: fetch,
  }).catch((error: unknown) => {
    if (error instanceof FetchFault) throw error;
    return undefined;
  });
  const { token_endpoint, registration_endpoint, revocation_endpoint } = (metadata ?? {}) as Record<
    string,
    unknown
  >;
  return [token_endpoint, registration_endpoint, revocation_endpoint].flatMap((endpoint) =>
    typeof endpoint === "string" ? (URL.parse(endpoint)?.href ?? []) : [],
  );
}

async function describeResource(
  url: URL,
  resourceMetadataUrl: string | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  let status = 0;
  const observed: FetchLike = async (...request) => {
    const response = await fetch(...request);
    ({ status } = response);
    return response;
  };
  try {
    return await discoverOAuthProtectedResourceMetadata(
      url,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      observed,
    );
  } catch (error) {
    // Older servers do not describe themselves, and are their own authorization servers.
    const isUndescribed = status >= 400 && resourceMetadataUrl === undefined;
    if (error instanceof FetchFault || !isUndescribed) throw error;
    return undefined;
  }
}

/** What MCP 2025-03-26 says of servers that describe nothing. It requires PKCE of them. */
const defaultMetadata = ({ origin }: URL): AuthorizationServerMetadata => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
});

const MAX_SCOPES = 100;
const MAX_TEXT = 2048;

function toAuthorizationServer(
  guard: Guard,
  url: URL,
  found: {
    described: OAuthProtectedResourceMetadata | undefined;
    metadata: AuthorizationServerMetadata;
    scopes: readonly string[] | undefined;
  },
): AuthorizationServer {
  const { described, metadata, scopes } = found;
  const resource = described?.resource ?? resourceUrlFromServerUrl(url).href;
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
    throw new FetchFault("bad_answer", "The metadata is of another resource than this MCP server");
  }
  const endpoint = (name: string, given: string | undefined) =>
    given === undefined ? {} : { [name]: requireAllowedUrl(given, guard.isAllowedHost).href };
  const revocation = (metadata as { revocation_endpoint?: string }).revocation_endpoint;
  const supported = described?.scopes_supported;
  const server = {
    issuer: metadata.issuer,
    resource,
    ...(scopes && { scopes: scopes.slice(0, MAX_SCOPES) }),
    ...(supported && { supportedScopes: supported.slice(0, MAX_SCOPES) }),
    endpoints: {
      token: requireAllowedUrl(metadata.token_endpoint, guard.isAllowedHost).href,
      ...endpoint("authorization", metadata.authorization_endpoint),
      ...endpoint("registration", metadata.registration_endpoint),
      ...endpoint("revocation", revocation),
    },
    takesClientMetadataUrls: metadata["client_id_metadata_document_supported"] === true,
    hasPkce: metadata.code_challenge_methods_supported?.includes("S256") === true,
    namesIssuer: metadata["authorization_response_iss_parameter_supported"] === true,
    authenticationMethods: (metadata.token_endpoint_auth_methods_supported ?? []).slice(
      0,
      MAX_SCOPES,
    ),
  };
  requireBoundedText(server);
  return server;
}

function requireBoundedText(value: unknown): void {
  if (typeof value === "string") {
    if (value.length <= MAX_TEXT && isStorable(value)) return;
    throw new FetchFault("bad_answer", `The metadata has a text that is not storable, or too long`);
  }
  if (typeof value === "object" && value !== null) Object.values(value).forEach(requireBoundedText);
}
