import { type Queryable, spaces, workspaces } from "@parley/db";
import type {
  CreatedWorkspace,
  Region,
  UpdateWorkspace,
  Workspace,
  WorkspaceRole,
  WorkspaceSettings,
} from "@parley/schema";
import { eq } from "drizzle-orm";
import { administeredWorkspace } from "./administered-workspace.ts";
import { insertApiKey } from "./api-keys.ts";
import { type Core, inTransaction, type RequestContext } from "./context.ts";
import { generateApiKey } from "./key-secrets.ts";
import { defaultModels, modelKey, requireKnownModel } from "./models.ts";
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
    .values({ sid: core.newId(), name, models: [...defaultModels], createdAt })
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
  const workspace = await inTransaction(context, async ({ db, made }) => {
    const created = await insertWorkspace(context, db, input.name);
    made(created.workspace.sid);
    const workspaceId = created.workspace.id;
    const key = { workspaceId, name: "admin", role: "admin", secret: adminKey } as const;
    await insertApiKey(context, db, key);
    return created.workspace;
  });
  return { workspace: renderWorkspace(workspace, "admin"), adminKey };
}

/** The settings of a workspace. Throws `workspace_not_found`. */
export async function getWorkspace(
  context: RequestContext,
  input: { workspaceId: string },
): Promise<WorkspaceSettings> {
  const { db } = context.database;
  return renderSettings(await administeredWorkspace(context, db, input.workspaceId));
}

/** Changes settings of a workspace. Throws `model_disabled` for a model that nobody knows. */
export async function updateWorkspace(
  context: RequestContext,
  input: UpdateWorkspace,
): Promise<WorkspaceSettings> {
  const { name, region, regionalModelsOnly, models } = input;
  for (const model of models ?? []) requireKnownModel(model);
  return inTransaction(context, async ({ db, afterCommit }) => {
    const before = await administeredWorkspace(context, db, input.workspaceId);
    const change = {
      ...(name !== undefined && { name }),
      ...(region !== undefined && { region }),
      ...(regionalModelsOnly !== undefined && { regionalModelsOnly }),
      ...(models !== undefined && { models: [...new Set(models.map(modelKey))] }),
    };
    if (Object.keys(change).length === 0) return renderSettings(before);
    const [row = before] = await db
      .update(workspaces)
      .set(change)
      .where(eq(workspaces.id, before.id))
      .returning();
    // Callers are remembered together with their workspace.
    afterCommit.push({ topic: "keys" });
    return renderSettings(row);
  });
}

function renderSettings(row: WorkspaceRow): WorkspaceSettings {
  return {
    workspaceId: row.sid,
    name: row.name,
    region: row.region as Region,
    regionalModelsOnly: row.regionalModelsOnly,
    models: row.models.map((model) => {
      // A model's own id may hold slashes; a provider's does not.
      const slash = model.indexOf("/");
      return { providerId: model.slice(0, slash), modelId: model.slice(slash + 1) };
    }),
  };
}
