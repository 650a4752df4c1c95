import {
  insertRow,
  type Queryable,
  spaces,
  type StoredEmbedding,
  workspaces,
  workspaceStorage,
} from "@parley/db";
import {
  type CreatedWorkspace,
  type FeatureFlags,
  type ListWorkspaces,
  MAX_ENABLED_MODELS,
  ParleyError,
  publicRoleOf,
  type Region,
  type UpdateWorkspace,
  type VerifiedDomains,
  type Workspace,
  type WorkspaceExistence,
  type WorkspacePage,
  type WorkspaceRole,
  type WorkspaceSettings,
} from "@parley/schema";
import { and, desc, eq, isNull, lt } from "drizzle-orm";
import { generateApiKey } from "../access/key-secrets.ts";
import type { Process, RequestContext } from "../context.ts";
import type { SpaceRow, WorkspaceRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "./administered-workspace.ts";
import { insertApiKey } from "./api-keys.ts";
import { chooseEmbedding, requireEmbeddingInRegion } from "./choose-embedding.ts";
import { defaultModels, modelKey, pairOf, requireKnownModel } from "./models.ts";
import { takePage } from "../data-access/pages.ts";
import { requireNewCurrency } from "../money/currencies.ts";
import { findServerCurrency, lockMoney } from "../money/money-lock.ts";

/** A workspace as a caller of `role` sees it. */
export function renderWorkspace(row: WorkspaceRow, role: WorkspaceRole): Workspace {
  return {
    id: row.id,
    sId: row.sid,
    name: row.name,
    role: publicRoleOf(role),
    segmentation: row.segmentation,
    flags: row.flags,
    ssoEnforced: row.ssoEnforced,
    whiteListedProviders: row.whiteListedProviders,
    defaultEmbeddingProvider: row.defaultEmbeddingProvider,
    regionalModelsOnly: row.regionalModelsOnly,
  };
}

/** Writes a workspace with its one open space, in the currency of the server's budgets if it has any. */
export async function insertWorkspace(
  core: Process,
  db: Queryable,
  name: string,
): Promise<{ workspace: WorkspaceRow; space: SpaceRow }> {
  const createdAt = core.now();
  const models = [...defaultModels];
  const currency = await findServerCurrency(db);
  const workspace = await insertRow(db, workspaces, {
    sid: core.newId(),
    name,
    models,
    currency,
    createdAt,
  });
  await db.insert(workspaceStorage).values({ workspaceId: workspace.id });
  const space = await insertRow(db, spaces, {
    sid: core.newId("vlt"),
    workspaceId: workspace.id,
    name: "Company Data",
    kind: "global",
    isRestricted: false,
    createdAt,
    updatedAt: createdAt,
  });
  return { workspace, space };
}

/** Creates a workspace and its first admin key, which only this response shows. */
export async function createWorkspace(
  context: RequestContext,
  input: { name: string },
): Promise<CreatedWorkspace> {
  const adminKey = generateApiKey();
  const workspace = await inTransaction(context, async ({ db, markCreated }) => {
    await lockMoney(db);
    const created = await insertWorkspace(context, db, input.name);
    markCreated(created.workspace.sid);
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
  input: { wId: string },
): Promise<WorkspaceSettings> {
  const { db } = context.database;
  return renderSettings(await administeredWorkspace(context, db, input.wId));
}

/**
 * Changes settings of a workspace; models that are enabled and disabled at the same time are all so in the end.
 * Throws `model_disabled` for an unknown model, `invalid_request_error` for too many, and for a new currency if there
 * is money in the one before.
 */
export async function updateWorkspace(
  context: RequestContext,
  input: UpdateWorkspace,
): Promise<WorkspaceSettings> {
  const { name, region, regionalModelsOnly, recordsRequests } = input;
  for (const model of [...(input.models ?? []), ...(input.enableModels ?? [])]) {
    requireKnownModel(model);
  }
  return inTransaction(context, async ({ db, afterCommit }) => {
    const before = await administeredWorkspace(context, db, input.wId);
    if (input.currency !== undefined) {
      await requireNewCurrency(context, db, { id: before.id, currency: input.currency });
    }
    const of = { workspaceId: before.id, now: context.now() };
    const { embedding: chosen } = input;
    const embedding =
      chosen === undefined ? before.embedding : await chooseEmbedding(db, of, chosen);
    const [row = before] = await db
      .update(workspaces)
      .set({
        ...(chosen !== undefined && { embedding }),
        currency: input.currency,
        name: name ?? before.name,
        region,
        regionalModelsOnly,
        recordsRequests,
        models: await changeModels(db, before, input),
      })
      .where(eq(workspaces.id, before.id))
      .returning();
    if (chosen !== undefined || regionalModelsOnly === true) requireEmbeddingInRegion(row);
    // Callers are cached together with their workspace.
    afterCommit.push({ topic: "keys", workspaceId: row.id });
    return renderSettings(row);
  });
}

/** The enabled models after a change, in their order; undefined if they stay. */
async function changeModels(
  db: Queryable,
  { id }: WorkspaceRow,
  { models, enableModels = [], disableModels = [] }: UpdateWorkspace,
): Promise<string[] | undefined> {
  if (models === undefined && enableModels.length === 0 && disableModels.length === 0) {
    return undefined;
  }
  // Of two changes at the same time, the second starts from what the first has left.
  const [row] = await db
    .select({ models: workspaces.models })
    .from(workspaces)
    .where(eq(workspaces.id, id))
    .for("no key update");
  const enabled = new Set(models?.map(modelKey) ?? row?.models);
  for (const model of enableModels) enabled.add(modelKey(model));
  for (const model of disableModels) enabled.delete(modelKey(model));
  if (enabled.size <= MAX_ENABLED_MODELS) return [...enabled];
  throw new ParleyError(
    "invalid_request_error",
    `Invalid request body: enableModels: a workspace enables at most ${MAX_ENABLED_MODELS} models; disable some first`,
  );
}

/**
 * Suspends a workspace: its credentials are refused and its streams end, here at once and in other processes
 * within seconds. Runs that were accepted finish. Suspending it again changes nothing.
 */
export async function suspendWorkspace(
  context: RequestContext,
  input: { wId: string },
): Promise<WorkspaceSettings> {
  return setSuspendedAt(context, input, (before) => before.suspendedAt ?? context.now());
}

/** Accepts the credentials of a suspended workspace again. */
export async function resumeWorkspace(
  context: RequestContext,
  input: { wId: string },
): Promise<WorkspaceSettings> {
  return setSuspendedAt(context, input, () => null);
}

async function setSuspendedAt(
  context: RequestContext,
  { wId }: { wId: string },
  timeOf: (before: WorkspaceRow) => number | null,
): Promise<WorkspaceSettings> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const before = await administeredWorkspace(context, db, wId);
    const [row = before] = await db
      .update(workspaces)
      .set({ suspendedAt: timeOf(before) })
      .where(eq(workspaces.id, before.id))
      .returning();
    afterCommit.push({ topic: "keys", workspaceId: row.id });
    return renderSettings(row);
  });
}

/** Lists the workspaces of the server that are not being deleted, the newest first. */
export async function listWorkspaces(
  { database }: RequestContext,
  { limit, lastValue }: ListWorkspaces,
): Promise<WorkspacePage> {
  const isOlder = lastValue === undefined ? undefined : lt(workspaces.id, Number(lastValue));
  const rows = await database.db
    .select()
    .from(workspaces)
    .where(and(isNull(workspaces.deletedAt), isOlder))
    .orderBy(desc(workspaces.id))
    .limit(limit + 1);
  const { page, end } = takePage(rows, { limit }, ({ id }) => id);
  return {
    workspaces: page.map(({ sid: sId, name, createdAt, suspendedAt }) => {
      return { sId, name, createdAt, suspendedAt };
    }),
    ...end,
  };
}

/** In the order of their descriptions, which JSON of the database does not keep. */
function renderEmbedding({ providerId, modelId, dimensions }: StoredEmbedding): StoredEmbedding {
  return { providerId, modelId, dimensions };
}

function renderSettings(row: WorkspaceRow): WorkspaceSettings {
  return {
    workspaceId: row.sid,
    name: row.name,
    region: row.region as Region,
    regionalModelsOnly: row.regionalModelsOnly,
    recordsRequests: row.recordsRequests,
    currency: row.currency,
    suspendedAt: row.suspendedAt,
    models: row.models.map(pairOf),
    embedding: row.embedding && renderEmbedding(row.embedding),
  };
}

/** Says that the workspace exists: callers with another's credential do not come here. */
export async function confirmWorkspace(): Promise<WorkspaceExistence> {
  return { exists: true };
}

/** Lists the feature flags of the workspace: the server has none. */
export async function listFeatureFlags(): Promise<FeatureFlags> {
  return { feature_flags: [] };
}

/** Lists the verified domains of the workspace: nobody joins by the domain of an address. */
export async function listVerifiedDomains(): Promise<VerifiedDomains> {
  return { verified_domains: [] };
}
