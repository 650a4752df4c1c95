import { apiKeys } from "@parley/db";
import { invalidRequest, ParleyError } from "@parley/schema";
import { and, asc, eq, isNull } from "drizzle-orm";
import { findKeyCaller } from "../access/key-callers.ts";
import { isBuilder } from "../agents/agent-editors.ts";
import type { RequestContext, WorkspaceCaller } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { requireKey } from "../workspaces/api-keys.ts";

interface Acting {
  readonly wId: string;
  /** The key that a request names. */
  readonly keyId: string | undefined;
  /** Number of the key that was stored before. */
  readonly storedId?: number;
}

/**
 * The caller as which something acts that is stored to be started later: that of the named key, of the one stored before,
 * or of the request; for an operator, which belongs to no workspace, that of the workspace's oldest admin key. Throws
 * `api_key_not_found`, `app_auth_error` for another's key, and `invalid_request_error` for a key that is not valid.
 */
export async function actingCaller(
  context: RequestContext,
  { wId, keyId, storedId }: Acting,
): Promise<WorkspaceCaller> {
  const { caller } = context;
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const own = caller.kind === "workspace" ? caller : undefined;
  // A builder's change would otherwise borrow the key of an admin.
  const isKept = storedId !== undefined && !isBuilder(caller);
  if (keyId === undefined && !isKept && own !== undefined) return own;
  if (keyId !== undefined && keyId === own?.apiKey.sid) return own;
  if (keyId !== undefined && own !== undefined && isBuilder(own)) {
    const message = "keyId: only admins can name another key than their own";
    throw new ParleyError("app_auth_error", message);
  }
  const id =
    keyId === undefined
      ? (storedId ?? (await findOldestAdmin(workspace.id)))
      : (await requireKey(context, db, { wId, keyId })).id;
  const found = id === undefined ? undefined : await findKeyCaller(context, id);
  if (found !== undefined) return found;
  throw invalidRequest("body", [
    {
      path: "keyId",
      message: "must name a key to act for: the key is revoked, disabled or expired",
    },
  ]);

  async function findOldestAdmin(workspaceId: number): Promise<number | undefined> {
    const [row] = await db
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.workspaceId, workspaceId),
          eq(apiKeys.role, "admin"),
          isNull(apiKeys.revokedAt),
          isNull(apiKeys.disabledAt),
        ),
      )
      .orderBy(asc(apiKeys.id))
      .limit(1);
    return row?.id;
  }
}
