import * as z from "zod";

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
}

const row = (status: number, rpcCode: ErrorRow["rpcCode"], retryable = false): ErrorRow => ({
  status,
  rpcCode,
  retryable,
});

/** Every error type of the public interface; all transports derive from it. */
export const errorTable = {
  not_found: row(404, "NOT_FOUND"),
  method_not_supported_error: row(405, "METHOD_NOT_SUPPORTED"),
  not_authenticated: row(401, "UNAUTHORIZED"),
  malformed_authorization_header_error: row(401, "UNAUTHORIZED"),
  invalid_api_key_error: row(401, "UNAUTHORIZED"),
  workspace_auth_error: row(401, "UNAUTHORIZED"),
  rate_limit_error: row(429, "TOO_MANY_REQUESTS", true),
  service_unavailable: row(503, "SERVICE_UNAVAILABLE", true),
  content_too_large: row(413, "PAYLOAD_TOO_LARGE"),
  invalid_request_error: row(400, "BAD_REQUEST"),
  app_auth_error: row(403, "FORBIDDEN"),
  model_disabled: row(400, "BAD_REQUEST"),
  space_not_found: row(400, "BAD_REQUEST"),
  data_source_view_not_found: row(400, "BAD_REQUEST"),
  file_not_found: row(404, "NOT_FOUND"),
  conversation_not_found: row(404, "NOT_FOUND"),
  message_not_found: row(404, "NOT_FOUND"),
  sandbox_function_not_found: row(404, "NOT_FOUND"),
  sandbox_function_invocation_not_found: row(404, "NOT_FOUND"),
  skill_not_found: row(404, "NOT_FOUND"),
  skill_already_exists: row(409, "CONFLICT"),
  workspace_not_found: row(404, "NOT_FOUND"),
  api_key_not_found: row(404, "NOT_FOUND"),
  agent_not_found: row(404, "NOT_FOUND"),
  member_not_found: row(404, "NOT_FOUND"),
  member_already_exists: row(409, "CONFLICT"),
  tool_not_found: row(404, "NOT_FOUND"),
  version_conflict: row(409, "CONFLICT"),
  idempotency_key_mismatch: row(422, "UNPROCESSABLE_CONTENT"),
  idempotency_key_in_use: row(409, "CONFLICT", true),
  internal_server_error: row(500, "INTERNAL_SERVER_ERROR"),
} as const satisfies Record<string, ErrorRow>;

export type ErrorType = keyof typeof errorTable;

/** One thing that is wrong with a request; `path` names the field, as in `message.mentions[0]`. */
export const Issue = z.object({
  path: z.string().describe("The field"),
  message: z.string().describe("What is wrong with it, and what would be right"),
});
export type Issue = z.infer<typeof Issue>;

/** The body of every error answer. */
export const ErrorBody = z.object({
  error: z
    .object({
      type: z.string().describe("Stable type of the error"),
      message: z.string().describe("What was wrong and what would be right"),
      request_id: z.string().optional().describe("Id of the request in the server's log"),
      issues: z.array(Issue).optional().describe("The single faults of an invalid request"),
    })
    .describe("What went wrong"),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

interface ErrorDetails extends ErrorOptions {
  readonly issues?: readonly Issue[];
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Overrides the table's status where the interface gives one type two statuses. */
  readonly status?: number;
}

/** An error that the caller is told about: its type is a row of the error table. */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  readonly type: ErrorType;
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.type = type;
    this.status = details.status ?? errorTable[type].status;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
