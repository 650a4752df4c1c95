import { registerClient as register } from "@modelcontextprotocol/client";
import { FetchFault, type Guard } from "@parley/guarded-fetch";
import type {
  AuthorizationServer,
  Introduction,
  OAuthClient,
  OAuthFailure,
  OAuthOptions,
} from "./contract.ts";
import { toMetadata } from "./metadata.ts";
import { takeStep } from "./take-step.ts";

/** Becomes a client of an authorization server: by its metadata's URL, or by dynamic registration. */
export async function registerClient(
  guard: Guard,
  server: AuthorizationServer,
  options: OAuthOptions & { readonly introduction: Introduction },
): Promise<OAuthClient | OAuthFailure> {
  const { name, redirectUrl, scope, clientMetadataUrl } = options.introduction;
  if (server.takesClientMetadataUrls && clientMetadataUrl?.startsWith("https://") === true) {
    return { clientId: clientMetadataUrl };
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
