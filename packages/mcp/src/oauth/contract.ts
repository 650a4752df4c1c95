import type { McpFailureCode } from "../contract.ts";

/** Where tokens for an MCP server come from. A value: it may be stored, and is passed to every step. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** What tokens are asked for, RFC 8707: the server's own word for itself. */
  readonly resource: string;
  /** The scopes that the server names, if it does. */
  readonly scopes?: readonly string[];
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

/** Whether a step failed. */
export function hasFailed(answer: object): answer is OAuthFailure {
  return "type" in answer && answer.type === "failed";
}
