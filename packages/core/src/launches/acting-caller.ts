import { invalidRequest, ParleyError } from "@parley/schema";
import { findKeyCaller } from "../access/key-callers.ts";
import type { RequestContext, WorkspaceCaller } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { requireKey } from "../workspaces/api-keys.ts";

/**
 * The caller as which something is started later: that of the named key, or of the request. Throws `workspace_not_found`, `api_key_not_found`,
 * `app_auth_error` for another's key, and `invalid_request_error` for an operator's.
 */
export async function actingCaller(
  context: RequestContext,
  { wId, keyId }: { wId: string; keyId: string | undefined },
): Promise<WorkspaceCaller> {
  const { caller } = context;
  const own = caller.kind === "workspace" ? caller : undefined;
  if (own === undefined) await administeredWorkspace(context, context.database.db, wId);
  if (keyId === undefined || keyId === own?.apiKey.sid) {
    if (own !== undefined) return own;
    throw refused("must name the key that it acts for: an operator's key has no workspace");
  }
  if (own !== undefined && own.apiKey.role !== "admin") {
    throw new ParleyError(
      "app_auth_error",
      "keyId: only admins can name another key than their own",
    );
  }
  const key = await requireKey(context, context.database.db, { wId, keyId });
  const found = await findKeyCaller(context, key.id);
  if (found === undefined)
    throw refused("the key is not valid: it is revoked, disabled or expired");
  return found;
}

const refused = (message: string) => invalidRequest("body", [{ path: "keyId", message }]);
