import {
  type Caller,
  type RequestContext,
  requireWorkspace,
  type WorkspaceCaller,
} from "@parley/core";
import { type Endpoint, ParleyError, WorkspaceRole } from "@parley/schema";

/**
 * Gives the context with the caller that the endpoint asks for. Throws `workspace_auth_error` for
 * another workspace's key, `app_auth_error` for a role below the endpoint's.
 */
export function authorizeWorkspace<C extends RequestContext>(
  endpoint: Endpoint,
  context: C,
  wId: string,
): C & RequestContext<WorkspaceCaller> {
  const caller = requireWorkspace(context.caller, wId);
  const rank = (role: string) => WorkspaceRole.options.findIndex((known) => known === role);
  if (rank(caller.apiKey.role) < rank(endpoint.role)) {
    throw new ParleyError("app_auth_error", `This needs a key of role ${endpoint.role}`);
  }
  return { ...context, caller };
}

/** Throws `app_auth_error` unless the caller is an operator. */
export function requireOperator(caller: Caller): void {
  if (caller.kind !== "operator") {
    throw new ParleyError("app_auth_error", "This needs an operator key");
  }
}
