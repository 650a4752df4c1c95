import {
  isDatabaseBusy,
  isDatabaseUnavailable,
  isDatabaseUnwritable,
  isWorkspaceDeleted,
} from "@parley/core";
import { type ErrorBody, errorTable, type ErrorType, ParleyError } from "@parley/schema";
import { TRPCError } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { transformer } from "./transformer.ts";

/** Errors of tRPC itself, before a procedure runs. */
const ofTrpc: Partial<Record<TRPCError["code"], ErrorType>> = {
  NOT_FOUND: "not_found",
  METHOD_NOT_SUPPORTED: "method_not_supported_error",
  PARSE_ERROR: "invalid_request_error",
  BAD_REQUEST: "invalid_request_error",
  UNSUPPORTED_MEDIA_TYPE: "invalid_request_error",
  PAYLOAD_TOO_LARGE: "content_too_large",
};

type Failure = readonly [
  isIt: (error: unknown) => boolean,
  type: ErrorType,
  message: string,
  details?: { readonly retryAfterSeconds: number },
];

const soon = { retryAfterSeconds: 1 };

/** Failures outside the procedures, and how callers see them; the first match counts. */
const failures: readonly Failure[] = [
  [isDatabaseBusy, "rate_limit_error", "The database has too much to do: try again", soon],
  [isWorkspaceDeleted, "invalid_api_key_error", "The API key is not valid"],
  [
    isDatabaseUnwritable,
    "service_unavailable",
    "The database takes no writes now: try again",
    { retryAfterSeconds: 5 },
  ],
  [isDatabaseUnavailable, "service_unavailable", "The database cannot be reached: try again", soon],
  // An abort by the client is not sent to anybody.
  [isAbort, "service_unavailable", "The server is shutting down: try again", soon],
];
const unknownFailure: Failure = [
  () => true,
  "internal_server_error",
  "Something went wrong on the server",
];

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** The error that a caller sees; unexpected errors are hidden in a 500. */
export function toParleyError(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  if (error instanceof TRPCError) {
    if (error.cause instanceof ParleyError) return error.cause;
    if (error.cause instanceof SyntaxError && error.code === "BAD_REQUEST") {
      const message = "Invalid request body: malformed JSON";
      return new ParleyError("invalid_request_error", message, { cause: error });
    }
    // Input that tRPC's own parser refuses is the caller's fault, whatever it threw.
    const isOwn = error.cause === undefined || error.code === "PARSE_ERROR";
    const type = isOwn ? ofTrpc[error.code] : undefined;
    if (type !== undefined) return new ParleyError(type, error.message, { cause: error });
  }
  const [, type, message, details] = failures.find(([isIt]) => isIt(error)) ?? unknownFailure;
  return new ParleyError(type, message, { cause: error, ...details });
}

/** The error as tRPC throws it, so that its HTTP status is the table's. */
export function toTrpcError(error: unknown): TRPCError {
  const cause = toParleyError(error);
  return new TRPCError({ code: errorTable[cause.type].rpcCode, message: cause.message, cause });
}

/** The body of an error response. */
export function renderError(error: ParleyError, requestId: string | undefined): ErrorBody {
  const { type, message, issues } = error;
  return {
    error: {
      type,
      message,
      ...(requestId !== undefined && { request_id: requestId }),
      ...(issues !== undefined && { issues: [...issues] }),
    },
  };
}

/** The body of an error before tRPC is called, in the form of its clients; batches share it. */
export function renderRpcError(error: ParleyError, requestId: string): object {
  const code = errorTable[error.type].rpcCode;
  const data = { code, httpStatus: error.status, ...renderError(error, requestId).error };
  const shape = { message: error.message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
  return { error: transformer.serialize(shape) };
}
