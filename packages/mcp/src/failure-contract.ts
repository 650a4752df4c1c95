/** Why a listing, a call or a step of an authorization failed. */
export type McpFailureCode =
  /** No connection, one that broke, or an answer of 5xx. */
  | "unreachable"
  /** The guard does not connect to this. */
  | "refused_address"
  /** 401: without a token, or with one that it does not take. */
  | "unauthorized"
  /** 403: the token is known, and may not do this. */
  | "forbidden"
  | "timed_out"
  /** More bytes or requests than the limits. */
  | "too_large"
  /** Not what MCP describes, or more than Parley holds. */
  | "bad_answer"
  /** By the caller's signal. */
  | "cancelled"
  /** The server refused, with an error of its own or an answer of 4xx. */
  | "rejected";

/** The parameters of `WWW-Authenticate`. */
export interface McpChallenge {
  readonly resourceMetadataUrl?: string;
  readonly scope?: string;
  /** `insufficient_scope`, if the token is for less than was asked. */
  readonly error?: string;
}

export interface McpFailure {
  readonly type: "failed";
  readonly code: McpFailureCode;
  /** For people. It holds no header of the request. */
  readonly message: string;
  /** Whether the server may have run the call. */
  readonly sent: boolean;
  /** What a 401 or 403 says of how to get a token. */
  readonly authorization?: McpChallenge;
}
