import { type Caller, requireWorkspace, type WorkspaceCaller } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { payerOf } from "../limits/payer.ts";
import type { ApiServices } from "../services.ts";
import { describeCaller, noteRefused } from "./call-log.ts";
import { authorizationOf } from "./session-cookie.ts";

interface AuthenticateOptions {
  readonly operators?: boolean | undefined;
  /** Whether a code for signing in is a credential. */
  readonly takesCodes?: boolean | undefined;
}

/**
 * Checks that the server takes requests, then the credential, then that it belongs to the workspace in
 * the path; with `operators`, one of theirs may be of no workspace. Refused credentials are recorded in the audit log and count against their client IP, never
 * against a valid key.
 */
export async function authenticate(
  services: ApiServices,
  request: FastifyRequest,
  { operators = false, takesCodes }: AuthenticateOptions = {},
): Promise<void> {
  requireServing(services);
  try {
    const authorization = authorizationOf(request, services.core.publicUrl);
    // Streams look at it again while they are open.
    if (authorization !== undefined) request.headers.authorization = authorization;
    request.caller = await services.credentials.authenticate(authorization, {
      takesCodes,
      isDoubtful: services.rateLimits.failsOften(request.ip),
    });
    const { wId } = request.params as { wId?: string };
    const isOperator = operators && request.caller.kind === "operator";
    if (wId !== undefined && !isOperator) requireWorkspace(request.caller, wId);
    services.unreadResponses.charge(request.raw, payerOf(request.caller));
    request.logFields = describeCaller(request.caller, request);
  } catch (error) {
    if (error instanceof ParleyError && error.status === 401) {
      noteRefused(services, request, error);
      await services.rateLimits.consumeFailure(request.ip);
    }
    throw error;
  }
}

/** Throws `service_unavailable` or `rate_limit_error` if the server takes no requests now. */
export function requireServing({ draining, overload, metrics }: ApiServices): void {
  if (draining) {
    throw new ParleyError("service_unavailable", "The server is shutting down: try again", {
      retryAfterSeconds: 1,
    });
  }
  try {
    overload.refuse();
  } catch (error) {
    metrics.limited("overload");
    throw error;
  }
}

/** The caller of an authenticated request whose path names a workspace. */
export function workspaceCallerOf(request: FastifyRequest): WorkspaceCaller {
  return callerOf(request) as WorkspaceCaller;
}

/** The caller of an authenticated request. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.routeOptions.url} is not authenticated`);
  return request.caller;
}
