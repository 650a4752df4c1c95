import { isDatabaseBusy, isDatabaseUnavailable } from "@parley/core";
import { type ErrorBody, errorTable, type ErrorType, ParleyError } from "@parley/schema";
import { TRPCError } from "@trpc/server";
import { TRPC_ERROR_CODES_BY_KEY } from "@trpc/server/rpc";
import { transformer } from "./transformer.ts";

/** Refusals of tRPC itself, before a procedure runs. */
const ofTrpc: Partial<Record<TRPCError["code"], ErrorType>> = {
  NOT_FOUND: "not_found",
  METHOD_NOT_SUPPORTED: "method_not_supported_error",
  PARSE_ERROR: "invalid_request_error",
  BAD_REQUEST: "invalid_request_error",
  UNSUPPORTED_MEDIA_TYPE: "invalid_request_error",
  PAYLOAD_TOO_LARGE: "content_too_large",
};

/** The error that a caller is told about; what is not a `ParleyError` is hidden behind a 500. */
export function toParleyError(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  if (error instanceof TRPCError) {
    if (error.cause instanceof ParleyError) return error.cause;
    if (error.cause instanceof SyntaxError && error.code === "BAD_REQUEST") {
      const message = "Invalid request body: malformed JSON";
      return new ParleyError("invalid_request_error", message, { cause: error });
    }
    const type = error.cause === undefined ? ofTrpc[error.code] : undefined;
    if (type !== undefined) return new ParleyError(type, error.message, { cause: error });
  }
  if (isDatabaseBusy(error)) {
    return new ParleyError("rate_limit_error", "The database has too much to do: try again", {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  if (isDatabaseUnavailable(error)) {
    return new ParleyError("service_unavailable", "The database cannot be reached: try again", {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return new ParleyError("internal_server_error", "Something went wrong on the server", {
    cause: error,
  });
}

/** The error as tRPC throws it, so that its HTTP status is the table's. */
export function toTrpcError(error: unknown): TRPCError {
  const cause = toParleyError(error);
  return new TRPCError({ code: errorTable[cause.type].rpcCode, message: cause.message, cause });
}

/** The body of an error answer. */
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

/** The body for what is refused before tRPC is asked, as its clients read it; batches share it. */
export function renderRpcError(error: ParleyError, requestId: string): object {
  const code = errorTable[error.type].rpcCode;
  const data = { code, httpStatus: error.status, ...renderError(error, requestId).error };
  const shape = { message: error.message, code: TRPC_ERROR_CODES_BY_KEY[code], data };
  return { error: transformer.serialize(shape) };
}
