import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
} from "@modelcontextprotocol/client";
import type { AuthorizationServer, OAuthClient } from "./contract.ts";

/** An authorization server as the protocol's client describes it. */
export function toMetadata(server: AuthorizationServer): AuthorizationServerMetadata {
  const { issuer, endpoints, authenticationMethods, namesIssuer } = server;
  return {
    issuer,
    token_endpoint: endpoints.token,
    authorization_endpoint: endpoints.authorization ?? "",
    ...(endpoints.registration !== undefined && { registration_endpoint: endpoints.registration }),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    ...(authenticationMethods.length > 0 && {
      token_endpoint_auth_methods_supported: [...authenticationMethods],
    }),
    authorization_response_iss_parameter_supported: namesIssuer,
  };
}

/** A client as the protocol's client describes it. */
export function toClientInformation(client: OAuthClient): OAuthClientInformationMixed {
  const { clientId, clientSecret, authenticationMethod } = client;
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(authenticationMethod !== undefined && { token_endpoint_auth_method: authenticationMethod }),
    redirect_uris: [],
  };
}
