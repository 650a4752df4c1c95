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
import { takeStep } from "./take-step.ts";

/**
 * Finds the authorization server of an MCP server: by its metadata (RFC 9728), which a 401 may name, or at
 * its own origin, and that server's endpoints (RFC 8414, OpenID). The metadata must be of this MCP server.
 */
export async function discoverAuthorizationServer(
  guard: Guard,
  serverUrl: string,
  options: OAuthOptions & { readonly resourceMetadataUrl?: string },
): Promise<AuthorizationServer | OAuthFailure> {
  return takeStep(guard, options, async (fetch) => {
    const url = requireAllowedUrl(serverUrl, guard.isAllowedHost);
    const described = await describeResource(url, options.resourceMetadataUrl, fetch);
    const issuerUrl = described?.authorization_servers?.[0] ?? `${url.origin}/`;
    const metadata = await discoverAuthorizationServerMetadata(issuerUrl, { fetchFn: fetch });
    if (metadata === undefined) {
      throw new FetchFault(
        "bad_answer",
        `${new URL(issuerUrl).host} describes no authorization server`,
      );
    }
    const server = toAuthorizationServer(guard, url, { described, metadata });
    await requireOwnPage(issuerUrl, server, fetch);
    return server;
  });
}

/**
 * Throws a `FetchFault` for metadata that sends users to the page of another site: it would get the codes of that
 * site at its own token endpoint. The page is the issuer's own where it is at the issuer's origin or at a host
 * below the issuer's, and where the site that has it names the same token endpoint.
 */
async function requireOwnPage(
  issuerUrl: string,
  { endpoints }: AuthorizationServer,
  fetch: FetchLike,
): Promise<void> {
  if (endpoints.authorization === undefined) return;
  const page = new URL(endpoints.authorization);
  const issuer = new URL(issuerUrl);
  const isBelow = page.protocol === "https:" && page.host.endsWith(`.${issuer.host}`);
  if (page.origin === issuer.origin || isBelow) return;
  const site = await discoverAuthorizationServerMetadata(`${page.origin}/`, {
    fetchFn: fetch,
  }).catch((error: unknown) => {
    if (error instanceof FetchFault) throw error;
    return undefined;
  });
  const isSame =
    site !== undefined &&
    URL.canParse(site.token_endpoint) &&
    new URL(site.token_endpoint).href === endpoints.token;
  if (isSame) return;
  throw new FetchFault(
    "rejected",
    `The authorization server ${issuer.host} sends users to ${page.host}, which does not name its token endpoint`,
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

const MAX_SCOPES = 100;
const MAX_TEXT = 2048;

function toAuthorizationServer(
  guard: Guard,
  url: URL,
  found: {
    described: OAuthProtectedResourceMetadata | undefined;
    metadata: AuthorizationServerMetadata;
  },
): AuthorizationServer {
  const { described, metadata } = found;
  const resource = described?.resource ?? resourceUrlFromServerUrl(url).href;
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: resource })) {
    throw new FetchFault("bad_answer", "The metadata is of another resource than this MCP server");
  }
  const endpoint = (name: string, given: string | undefined) =>
    given === undefined ? {} : { [name]: requireAllowedUrl(given, guard.isAllowedHost).href };
  const revocation = (metadata as { revocation_endpoint?: string }).revocation_endpoint;
  const scopes = described?.scopes_supported;
  const server = {
    issuer: metadata.issuer,
    resource,
    ...(scopes && { scopes: scopes.slice(0, MAX_SCOPES) }),
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
