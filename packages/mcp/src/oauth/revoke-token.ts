import {
  OAuthError,
  parseErrorResponse,
  selectClientAuthMethod,
} from "@modelcontextprotocol/client";
import type { Guard } from "@parley/guarded-fetch";
import type { OAuthClient, OAuthFailure, OAuthOptions, Party } from "./contract.ts";
import { toClientInformation } from "./metadata.ts";
import { takeStep } from "./take-step.ts";

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
