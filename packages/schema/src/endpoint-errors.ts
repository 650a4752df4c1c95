import { type Endpoint, growsStorage, isKeyed } from "./endpoint.ts";
import type { ErrorType } from "./errors/error-table.ts";

/** Errors of every endpoint. */
export const commonErrors: readonly ErrorType[] = [
  "invalid_request_error",
  "not_authenticated",
  "malformed_authorization_header_error",
  "invalid_api_key_error",
  "workspace_auth_error",
  "workspace_suspended",
  "app_auth_error",
  "request_timeout",
  "rate_limit_error",
  "internal_server_error",
];

/** Every error type of an endpoint: those of its row, and those of its kind. */
export function errorTypesOf(endpoint: Endpoint): Set<ErrorType> {
  const types = new Set([...commonErrors, ...endpoint.errors]);
  // Clients retry a stream only on 408 and 429.
  if (endpoint.kind !== "stream") types.add("service_unavailable");
  if (endpoint.kind === "json" && endpoint.method !== "GET") types.add("content_too_large");
  if (growsStorage(endpoint)) types.add("budget_exceeded");
  if (endpoint.kind === "json" && isKeyed(endpoint)) {
    types.add("idempotency_key_mismatch").add("idempotency_key_in_use");
  }
  return types;
}
