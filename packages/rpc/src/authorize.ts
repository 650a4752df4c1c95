import { type RequestContext, requireWorkspace, type WorkspaceCaller } from "@parley/core";
import { type Endpoint, ParleyError, type RpcEndpoint, WorkspaceRole } from "@parley/schema";

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

/**
 * Checks the caller of an administrative endpoint: operators may do all of them, in any workspace; a
 * workspace's key those of its role, in its own. Throws like `authorizeWorkspace`.
 */
export function authorizeAdministration<C extends RequestContext>(
  endpoint: RpcEndpoint,
  context: C,
  workspaceId: string | undefined,
): C {
  if (context.caller.kind === "operator") return context;
  if (endpoint.role === "operator" || workspaceId === undefined) {
    throw new ParleyError("app_auth_error", "This needs an operator key");
  }
  return authorizeWorkspace(endpoint, context, workspaceId);
}
