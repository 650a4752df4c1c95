import { type Caller, KnownKeyRefused } from "@parley/core";
import type { Call } from "@parley/rpc";
import { type Endpoint, errorTypesOf, type ParleyError } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { parseTraceparent, traceIdOf } from "../http/traceparent.ts";
import { userIdOf, workspaceIdOf } from "../limits/payer.ts";
import type { ApiServices } from "../services.ts";

/** Room for an IPv6 address with its zone. */
const MAX_IP_LENGTH = 64;

/** Logs an error type that the endpoint's documentation lacks: clients may not handle it. */
export function noteUnlisted(
  request: FastifyRequest,
  endpoint: Endpoint,
  error: ParleyError,
): void {
  if (errorTypesOf(endpoint).has(error.type) || error.type === "service_unavailable") return;
  request.log.error(
    { ...request.logFields, type: error.type, endpoint: endpoint.summary },
    "An error type is not listed",
  );
}

/** Logs the line of a call. */
export function logCall(
  request: FastifyRequest,
  { endpoint, durationMs, error }: Call & { readonly error: ParleyError | undefined },
): void {
  request.log.info(
    {
      ...request.logFields,
      durationMs: Math.round(durationMs * 10) / 10,
      // Only the type: a message may contain user input.
      error: error?.type,
    },
    endpoint.summary,
  );
}

/** The fields of every log line of a caller's request. */
export function describeCaller(caller: Caller, { headers }: Pick<FastifyRequest, "headers">) {
  return {
    workspaceId: workspaceIdOf(caller),
    keyId: caller.apiKey.sid,
    userId: userIdOf(caller),
    traceId: traceIdOf(parseTraceparent(headers.traceparent)),
  };
}

/** Counts a refused credential, and records it in the audit log. */
export function noteRefused(
  services: ApiServices,
  request: FastifyRequest,
  error: ParleyError,
): void {
  services.metrics.credentialRefused(error.type);
  services.refusedCredentials.note({
    type: error.type,
    clientIp: clientIpOf(request),
    route: `${request.method} ${request.routeOptions.url ?? ""}`,
    requestId: request.id,
    caller: error instanceof KnownKeyRefused ? error.caller : (request.caller ?? undefined),
  });
}

/** The IP address of the client, cut because a forwarded one is arbitrary text. */
export function clientIpOf(request: FastifyRequest): string {
  // Despite its type, it is undefined for a client that has disconnected.
  const ip = request.ip as string | undefined;
  return ip?.slice(0, MAX_IP_LENGTH) ?? "unknown";
}
