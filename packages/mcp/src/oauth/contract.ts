import type { McpFailureCode } from "../failure-contract.ts";

/** Where tokens for an MCP server come from. A value: it may be stored, and is passed to every step. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** What tokens are asked for, RFC 8707: the server's own word for itself. */
  readonly resource: string;
  /** The scopes that are asked for first: those that the server's 401 names, or all that it has. */
  readonly scopes?: readonly string[];
  /** The scopes that the server has, as far as it says. */
  readonly supportedScopes?: readonly string[];
  readonly endpoints: {
    readonly token: string;
    readonly authorization?: string;
    readonly registration?: string;
    readonly revocation?: string;
  };
  /** Whether the URL of a document may be a client's id (CIMD). */
  readonly takesClientMetadataUrls: boolean;
  readonly hasPkce: boolean;
  /** Whether its redirects name the issuer, RFC 9207. */
  readonly namesIssuer: boolean;
  readonly authenticationMethods: readonly string[];
}

/** Who Parley is at an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** As the authorization server registered it, if it did. */
  readonly authenticationMethod?: string;
  /** When the secret ends. */
  readonly expiresAt?: number;
}

export interface OAuthTokens {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly expiresInMs?: number;
  readonly refreshToken?: string;
  readonly scope?: string;
}

/** A step that failed. Its message holds no secret, code or token that the step was given. */
export interface OAuthFailure {
  readonly type: "failed";
  readonly code: McpFailureCode;
  readonly message: string;
  /** The error of OAuth, if the authorization server answered with one: `invalid_grant`. */
  readonly error?: string;
}

/** A step's time, and how it is cancelled. */
export interface OAuthOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A client, and the authorization server that knows it. */
export interface Party {
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
}

/** How Parley introduces itself. */
export interface Introduction {
  readonly name: string;
  /** Where codes come back to. Without one, the client may ask for tokens of its own. */
  readonly redirectUrl?: string;
  readonly scope?: string;
  /** The URL of a document that says the same (CIMD): it is the client's id, if that is taken. */
  readonly clientMetadataUrl?: string;
}

/** What is kept between sending somebody away and the code that comes back. */
export interface StartedAuthorization {
  /** Where the browser goes. */
  readonly authorizationUrl: string;
  /** Secret, until the code is exchanged. */
  readonly codeVerifier: string;
}

/** The steps by which a person allows the calls of an MCP server, for as long as they are not taken back. */
export interface PersonalAuthorization {
  /** Finds the authorization server, and becomes its client unless `client` is known to it already. */
  prepare(
    serverUrl: string,
    options: OAuthOptions & {
      readonly client?: OAuthClient | undefined;
      readonly introduction: Introduction;
    },
  ): Promise<Party | OAuthFailure>;
  /** Makes the URL at which somebody allows Parley: a code with PKCE (S256), for this resource. */
  start(
    party: Party,
    request: { readonly redirectUrl: string; readonly state: string; readonly scope?: string },
  ): Promise<StartedAuthorization | OAuthFailure>;
  /** Exchanges a code. `issuer` is what the redirect named as `iss`: a code of another server is refused. */
  exchange(
    party: Party,
    options: OAuthOptions & {
      readonly code: string;
      readonly codeVerifier: string;
      readonly redirectUrl: string;
      readonly issuer?: string;
    },
  ): Promise<OAuthTokens | OAuthFailure>;
  /** Refreshes tokens. The answer has a refresh token: the old one, unless there is a new one. */
  refresh(
    party: Party,
    options: OAuthOptions & { readonly refreshToken: string; readonly scope?: string },
  ): Promise<OAuthTokens | OAuthFailure>;
  /** Revokes a token (RFC 7009) if the authorization server has an endpoint for it. */
  revoke(
    party: Party,
    options: OAuthOptions & {
      readonly token: string;
      readonly hint: "access_token" | "refresh_token";
    },
  ): Promise<{ readonly type: "revoked" | "unsupported" } | OAuthFailure>;
}

/** Whether a step failed. */
export function hasFailed(answer: object): answer is OAuthFailure {
  return "type" in answer && answer.type === "failed";
}
