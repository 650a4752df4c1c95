import {
  ClientCredentialsProvider,
  exchangeAuthorization,
  fetchToken,
  type OAuthTokens as SdkTokens,
  refreshAuthorization,
  startAuthorization as start,
} from "@modelcontextprotocol/client";
import { FetchFault, type Guard } from "@parley/guarded-fetch";
import { isStorable } from "@parley/schema";
import type {
  AuthorizationServer,
  OAuthClient,
  OAuthFailure,
  OAuthOptions,
  OAuthTokens,
  Party,
  StartedAuthorization,
} from "./contract.ts";
import { toClientInformation, toMetadata } from "./metadata.ts";
import { takeStep } from "./take-step.ts";

/** Why nobody can be asked there; undefined if somebody can. */
export function findFault({ endpoints, hasPkce }: AuthorizationServer): string | undefined {
  if (endpoints.authorization === undefined) return "The authorization server asks nobody";
  return hasPkce ? undefined : "The authorization server does not know PKCE with S256";
}

/** Makes the URL at which somebody allows Parley: a code with PKCE (S256), for this resource. */
export async function startAuthorization(
  server: AuthorizationServer,
  client: OAuthClient,
  request: { readonly redirectUrl: string; readonly state: string; readonly scope?: string },
): Promise<StartedAuthorization | OAuthFailure> {
  const fault = findFault(server);
  if (fault !== undefined) return { type: "failed", code: "rejected", message: fault };
  const { authorizationUrl, codeVerifier } = await start(server.issuer, {
    metadata: toMetadata(server),
    clientInformation: toClientInformation(client),
    resource: server.resource,
    ...request,
  });
  return { authorizationUrl: authorizationUrl.href, codeVerifier };
}

/** Exchanges a code. `issuer` is what the redirect named as `iss`: a code of another server is refused. */
export async function exchangeCode(
  guard: Guard,
  from: Party,
  options: OAuthOptions & {
    readonly code: string;
    readonly codeVerifier: string;
    readonly redirectUrl: string;
    readonly issuer?: string;
  },
): Promise<OAuthTokens | OAuthFailure> {
  const { code, codeVerifier, redirectUrl, issuer } = options;
  const secrets = [from.client.clientSecret, code, codeVerifier];
  return takeStep(guard, { ...options, secrets }, async (fetch) => {
    const isOther = issuer === undefined ? from.server.namesIssuer : issuer !== from.server.issuer;
    if (isOther) throw new FetchFault("rejected", "The code is of another authorization server");
    return toTokens(
      await exchangeAuthorization(from.server.issuer, {
        ...describe(from),
        authorizationCode: code,
        ...(issuer !== undefined && { iss: issuer }),
        codeVerifier,
        redirectUri: redirectUrl,
        fetchFn: fetch,
      }),
    );
  });
}

/** Refreshes tokens. The answer has a refresh token: the old one, unless there is a new one. */
export async function refreshTokens(
  guard: Guard,
  from: Party,
  options: OAuthOptions & { readonly refreshToken: string; readonly scope?: string },
): Promise<OAuthTokens | OAuthFailure> {
  const { refreshToken, scope } = options;
  const secrets = [from.client.clientSecret, refreshToken];
  return takeStep(guard, { ...options, secrets }, async (fetch) =>
    toTokens(
      await refreshAuthorization(from.server.issuer, {
        ...describe(from),
        refreshToken,
        ...(scope !== undefined && { scope }),
        fetchFn: fetch,
      }),
    ),
  );
}

/** Asks for tokens of the client's own (`client_credentials`). */
export async function requestClientCredentials(
  guard: Guard,
  from: Party,
  options: OAuthOptions & { readonly scope?: string },
): Promise<OAuthTokens | OAuthFailure> {
  const { clientId, clientSecret = "" } = from.client;
  return takeStep(guard, { ...options, secrets: [clientSecret] }, async (fetch) => {
    const { issuer } = from.server;
    const provider = new ClientCredentialsProvider({
      clientId,
      clientSecret,
      expectedIssuer: issuer,
    });
    const { metadata, resource } = describe(from);
    const { scope } = options;
    return toTokens(
      await fetchToken(provider, issuer, {
        metadata,
        resource,
        ...(scope !== undefined && { scope }),
        fetchFn: fetch,
      }),
    );
  });
}

function describe({ server, client }: Party) {
  return {
    metadata: toMetadata(server),
    clientInformation: toClientInformation(client),
    resource: server.resource,
  };
}

const MAX_TOKEN = 16_384;

function toTokens(given: SdkTokens): OAuthTokens {
  const { access_token, token_type, expires_in, refresh_token, scope } = given;
  const texts = [access_token, token_type, refresh_token ?? "", scope ?? ""];
  if (texts.some((text) => text.length > MAX_TOKEN || !isStorable(text))) {
    throw new FetchFault("bad_answer", "A token is not storable, or too long");
  }
  return {
    accessToken: access_token,
    tokenType: token_type,
    ...(expires_in !== undefined && { expiresInMs: expires_in * 1000 }),
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(scope !== undefined && { scope }),
  };
}
