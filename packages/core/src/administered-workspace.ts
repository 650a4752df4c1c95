import { type Queryable, workspaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { eq } from "drizzle-orm";
import type { RequestContext } from "./context.ts";
import type { WorkspaceRow } from "./rows.ts";

/**
 * The workspace that an administrative call is about, as it now is. A workspace's own keys name
 * their own (checked before); operators may name any. Throws `workspace_not_found`.
 */
export async function administeredWorkspace(
  context: RequestContext,
  db: Queryable,
  sid: string,
): Promise<WorkspaceRow> {
  const { caller } = context;
  const id = caller.kind === "workspace" ? caller.workspace.sid : sid;
  const [row] = await db.select().from(workspaces).where(eq(workspaces.sid, id));
  if (row === undefined) {
    throw new ParleyError("workspace_not_found", "workspaceId: there is no such workspace");
  }
  return row;
}
