import { type Queryable, spaces, workspaces } from "@parley/db";
import type { CreatedWorkspace, Workspace, WorkspaceRole } from "@parley/schema";
import { generateApiKey, insertApiKey } from "./api-keys.ts";
import { type Core, inTransaction, type RequestContext } from "./context.ts";
import type { SpaceRow, WorkspaceRow } from "./rows.ts";

/** A workspace as a caller of `role` sees it. */
export function renderWorkspace(row: WorkspaceRow, role: WorkspaceRole): Workspace {
  return {
    id: row.id,
    sId: row.sid,
    name: row.name,
    role,
    segmentation: row.segmentation,
    flags: row.flags,
    ssoEnforced: row.ssoEnforced,
    whiteListedProviders: row.whiteListedProviders,
    defaultEmbeddingProvider: row.defaultEmbeddingProvider,
    regionalModelsOnly: row.regionalModelsOnly,
  };
}

/** Writes a workspace with its one open space. */
export async function insertWorkspace(
  core: Core,
  db: Queryable,
  name: string,
): Promise<{ workspace: WorkspaceRow; space: SpaceRow }> {
  const createdAt = core.now();
  const [workspace] = await db
    .insert(workspaces)
    .values({ sid: core.newId(), name, createdAt })
    .returning();
  if (workspace === undefined) throw new Error("The workspace was not written");
  const [space] = await db
    .insert(spaces)
    .values({
      sid: core.newId("vlt"),
      workspaceId: workspace.id,
      name: "Company Data",
      kind: "global",
      isRestricted: false,
      createdAt,
      updatedAt: createdAt,
    })
    .returning();
  if (space === undefined) throw new Error("The space was not written");
  return { workspace, space };
}

/** Creates a workspace and its first admin key, which is shown only in the answer. */
export async function createWorkspace(
  context: RequestContext,
  input: { name: string },
): Promise<CreatedWorkspace> {
  const adminKey = generateApiKey();
  const workspace = await inTransaction(context, async ({ db }) => {
    const created = await insertWorkspace(context, db, input.name);
    const workspaceId = created.workspace.id;
    await insertApiKey(context, db, {
      workspaceId,
      name: "admin",
      role: "admin",
      secret: adminKey,
    });
    return created.workspace;
  });
  return { workspace: renderWorkspace(workspace, "admin"), adminKey };
}
