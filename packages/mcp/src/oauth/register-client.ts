import { registerClient as register } from "@modelcontextprotocol/client";
import { FetchFault, type Guard } from "@parley/guarded-fetch";
import type {
  AuthorizationServer,
  Introduction,
  OAuthClient,
  OAuthFailure,
  OAuthOptions,
} from "./contract.ts";
import { hasPublicName } from "./endpoint-sites.ts";
import { toMetadata } from "./metadata.ts";
import { takeStep } from "./take-step.ts";

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
