import {
  type Caller,
  type RequestContext,
  requireWorkspace,
  type WorkspaceCaller,
} from "@parley/core";
import { type Endpoint, ParleyError, WorkspaceRole } from "@parley/schema";

/** Checks the role of a caller. Throws `app_auth_error` for one below the endpoint's. */
function requireRole(endpoint: Endpoint, { apiKey }: Caller): void {
  const rank = (role: string) => WorkspaceRole.options.findIndex((known) => known === role);
  if (rank(apiKey.role) < rank(endpoint.role)) {
    throw new ParleyError("app_auth_error", `This needs a key of role ${endpoint.role}`);
  }
}

/** Checks the scope of a user token. Throws `app_auth_error` for one without the endpoint's. */
function requireScope({ scope }: Endpoint, caller: Caller): void {
  if (caller.kind === "operator" || caller.userToken === undefined) return;
  if (scope === null) throw new ParleyError("app_auth_error", "This is not for user tokens");
  if (caller.userToken.scopes.has(scope)) return;
  throw new ParleyError("app_auth_error", `This needs a token with the scope ${scope}`);
}

/** Checks what a caller may call. Throws `app_auth_error` for too low a role, or a missing scope. */
export function requireAllowed(endpoint: Endpoint, caller: Caller): void {
  requireRole(endpoint, caller);
  requireScope(endpoint, caller);
}

/** Checks the caller of an endpoint about itself. Throws `app_auth_error` for a key without any role. */
export function authorizeCaller<C extends RequestContext>(endpoint: Endpoint, context: C): C {
  if (context.caller.kind === "workspace") requireRole(endpoint, context.caller);
  return context;
}

/**
 * Checks the workspace, the role and the scope of the caller, and returns the context as that of a
 * workspace's key. Throws `workspace_auth_error` for another workspace's key, `app_auth_error` for a role
 * below the endpoint's, or a token without its scope.
 */
export function authorizeWorkspace<C extends RequestContext>(
  endpoint: Endpoint,
  context: C,
  wId: string | undefined,
): C & RequestContext<WorkspaceCaller> {
  requireAllowed(endpoint, requireWorkspace(context.caller, wId ?? ""));
  // Only a key of the workspace passes.
  return context as C & RequestContext<WorkspaceCaller>;
}

/**
 * Checks the caller of an administrative endpoint: operators may do all of them, in any workspace; a
 * workspace's key those of its role, in its own. Throws like `authorizeWorkspace`.
 */
export function authorizeAdministration<C extends RequestContext>(
  endpoint: Endpoint,
  context: C,
  wId: string | undefined,
): C {
  if (context.caller.kind === "operator") return context;
  if (endpoint.role === "operator" || wId === undefined) {
    throw new ParleyError("app_auth_error", "This needs an operator key");
  }
  return authorizeWorkspace(endpoint, context, wId);
}
