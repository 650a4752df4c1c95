/** One row of the error table: how an error type travels. */
interface ErrorRow {
  readonly status: number;
  /** The tRPC error code that carries the type over /rpc. */
  readonly rpcCode:
    | "BAD_REQUEST"
    | "UNAUTHORIZED"
    | "FORBIDDEN"
    | "NOT_FOUND"
    | "METHOD_NOT_SUPPORTED"
    | "CONFLICT"
    | "PAYLOAD_TOO_LARGE"
    | "UNPROCESSABLE_CONTENT"
    | "TOO_MANY_REQUESTS"
    | "SERVICE_UNAVAILABLE"
    | "INTERNAL_SERVER_ERROR";
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What it tells, for the reference and the guide. */
  readonly cause: string;
  /** What the caller can do about it. */
  readonly cure: string;
}

/** Every error type of the public interface; all transports derive from it. */
export const errorTable = {
  not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "No route of the server has this path.",
    cure: "Compare the path with the reference at `/docs`; paths are case-sensitive.",
  },
  method_not_supported_error: {
    status: 405,
    rpcCode: "METHOD_NOT_SUPPORTED",
    retryable: false,
    cause: "The path is known, but not with this method.",
    cure: "Use a method that the header `Allow` names.",
  },
  not_authenticated: {
    status: 401,
    rpcCode: "UNAUTHORIZED",
    retryable: false,
    cause: "The request has no `Authorization` header.",
    cure: "Send `Authorization: Bearer <API key>`.",
  },
  malformed_authorization_header_error: {
    status: 401,
    rpcCode: "UNAUTHORIZED",
    retryable: false,
    cause: "The header is not `Bearer`, a space and a key that begins `sk-`.",
    cure: "Send the key as it was shown when it was made, without quotes.",
  },
  invalid_api_key_error: {
    status: 401,
    rpcCode: "UNAUTHORIZED",
    retryable: false,
    cause: "The key is unknown, disabled, revoked or expired.",
    cure: "Ask an admin of the workspace for a key that is valid.",
  },
  workspace_auth_error: {
    status: 401,
    rpcCode: "UNAUTHORIZED",
    retryable: false,
    cause:
      "The key is not one of the workspace in the path, whether or not there is such a workspace.",
    cure: "Use a key of that workspace, or the id of the key's own.",
  },
  rate_limit_error: {
    status: 429,
    rpcCode: "TOO_MANY_REQUESTS",
    retryable: true,
    cause: "A limit on calls or on open streams is used up, or the server has too much to do.",
    cure: "Wait as many seconds as `Retry-After` says, then send the same request again.",
  },
  service_unavailable: {
    status: 503,
    rpcCode: "SERVICE_UNAVAILABLE",
    retryable: true,
    cause: "The server is shutting down, or its database does not answer.",
    cure: "Send the same request again after `Retry-After` seconds.",
  },
  content_too_large: {
    status: 413,
    rpcCode: "PAYLOAD_TOO_LARGE",
    retryable: false,
    cause: "The body is over 8 MiB.",
    cure: "Send less, or upload long content as a file.",
  },
  invalid_request_error: {
    status: 400,
    rpcCode: "BAD_REQUEST",
    retryable: false,
    cause: "The path, the query or the body breaks its schema.",
    cure: "Correct the fields that `issues` names.",
  },
  app_auth_error: {
    status: 403,
    rpcCode: "FORBIDDEN",
    retryable: false,
    cause: "The role of the key is too low for the operation.",
    cure: "Use a key with the role that the operation asks for.",
  },
  model_disabled: {
    status: 400,
    rpcCode: "BAD_REQUEST",
    retryable: false,
    cause: "A model is unknown, not enabled for the workspace, or outside of its region.",
    cure: "Select an enabled model, or none, and ask an admin to enable it.",
  },
  space_not_found: {
    status: 400,
    rpcCode: "BAD_REQUEST",
    retryable: false,
    cause: "There is no such space, or the key does not reach it.",
    cure: "Take the id from the list of spaces.",
  },
  data_source_view_not_found: {
    status: 400,
    rpcCode: "BAD_REQUEST",
    retryable: false,
    cause:
      "There is no such data source view, or it has no such node, or the key does not reach it.",
    cure: "Check both ids, and the spaces that the key reaches.",
  },
  file_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "There is no such file, or the key does not reach it.",
    cure: "Announce the file, upload its bytes, and use the id of the answer.",
  },
  conversation_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "There is no such conversation, it was deleted, or the key does not reach its space.",
    cure: "Take the id from the answer that created it, or from the list.",
  },
  message_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The conversation has no such message.",
    cure: "Take the id from the conversation as it now is.",
  },
  sandbox_function_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "There is no such function, or it is archived.",
    cure: "Take its id or slug from the list of functions.",
  },
  sandbox_function_invocation_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The function has no such invocation.",
    cure: "Use the id of the answer that made it, below the same function.",
  },
  sandbox_function_already_exists: {
    status: 409,
    rpcCode: "CONFLICT",
    retryable: false,
    cause: "Another function has the slug.",
    cure: "Choose another slug, or update that function.",
  },
  skill_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "There is no such skill.",
    cure: "Take the id from the list of skills.",
  },
  skill_already_exists: {
    status: 409,
    rpcCode: "CONFLICT",
    retryable: false,
    cause: "The workspace has skills with these names, and the import refuses them.",
    cure: "Import with `onConflict` `skip` or `override`, or rename the skill.",
  },
  workspace_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "There is no such workspace, or the key does not administer it.",
    cure: "Check the id of the workspace and the key.",
  },
  api_key_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The workspace has no such key.",
    cure: "Take the id from the list of keys.",
  },
  agent_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The workspace has no such agent that can be changed.",
    cure: "Take the id from the list of agents.",
  },
  provider_credential_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The workspace has no credential of its own for the provider.",
    cure: "List its credentials with `providerCredentials.list`.",
  },
  member_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The workspace has no such member.",
    cure: "Take the id from the list of members.",
  },
  member_already_exists: {
    status: 409,
    rpcCode: "CONFLICT",
    retryable: false,
    cause: "The e-mail address is a member's already.",
    cure: "Use the member that there is.",
  },
  tool_not_found: {
    status: 404,
    rpcCode: "NOT_FOUND",
    retryable: false,
    cause: "The workspace has no such tool.",
    cure: "Take the id from the list of tools.",
  },
  version_conflict: {
    status: 409,
    rpcCode: "CONFLICT",
    retryable: false,
    cause: "Somebody else has changed it since it was read.",
    cure: "Read it again, and change the version that it now has.",
  },
  idempotency_key_mismatch: {
    status: 422,
    rpcCode: "UNPROCESSABLE_CONTENT",
    retryable: false,
    cause: "The `Idempotency-Key` was used for another body.",
    cure: "Use a new key for each new request.",
  },
  idempotency_key_in_use: {
    status: 409,
    rpcCode: "CONFLICT",
    retryable: true,
    cause: "The first request with the `Idempotency-Key` is still being worked on.",
    cure: "Send the same request again after `Retry-After` seconds.",
  },
  internal_server_error: {
    status: 500,
    rpcCode: "INTERNAL_SERVER_ERROR",
    retryable: false,
    cause: "The server failed.",
    cure: "Give the `request_id` to the operator, who finds the cause in the log.",
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorType = keyof typeof errorTable;
