import { providerCredentials, statement } from "@parley/db";
import { type ModelList, ModelService, type Region, type UsableModels } from "@parley/schema";
import { eq, sql } from "drizzle-orm";
import type { Context, RequestContext } from "../context.ts";
import { administeredWorkspace } from "./administered-workspace.ts";
import { filesTakenBy, findEnabledModels, isInRegion, modelKey, models } from "./models.ts";

// Only workers have the settings of models.
const servicesStatement = statement<Record<string, never>, { id: string }>(
  "find_model_services",
  sql`
  select distinct jsonb_array_elements_text(model_services) as id from workers
  where alive_until > now()`,
);

/**
 * Lists the models that the server knows, and the enabled ones of a server of one's own, each with what the
 * workspace would need to use it.
 */
export async function listModels(
  context: RequestContext,
  { wId }: { wId: string },
): Promise<ModelList> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const own = await db
    .select({ id: providerCredentials.providerId })
    .from(providerCredentials)
    .where(eq(providerCredentials.workspaceId, workspace.id));
  const ofDeployment = new Set((await servicesStatement.execute(db, {})).map(({ id }) => id));
  const ofWorkspace = new Set(own.map(({ id }) => id));
  const enabled = new Map(findEnabledModels(workspace).map((model) => [modelKey(model), model]));
  const all = new Map([...models.map((model) => [modelKey(model), model] as const), ...enabled]);
  return {
    models: [...all].map(([key, { providerId, modelId, regions, contextTokens }]) => ({
      providerId,
      modelId,
      contextTokens: contextTokens ?? null,
      takes: filesTakenBy({ providerId, modelId })?.map((taken) => ({ ...taken })) ?? null,
      // The catalogue has regions of workspaces only.
      regions: regions as Region[],
      needsCredential: ModelService.options.some((id) => id === providerId),
      hasDeploymentCredential: ofDeployment.has(providerId),
      hasWorkspaceCredential: ofWorkspace.has(providerId),
      isEnabled: enabled.has(key),
    })),
  };
}

type Effort = UsableModels["models"][number]["defaultReasoningEffort"];

/** Lists the models that the workspace has enabled, and that are available in its region. */
export async function listUsableModels({ caller }: Context): Promise<UsableModels> {
  const usable = findEnabledModels(caller.workspace).filter((model) =>
    isInRegion(caller.workspace, model),
  );
  return {
    models: usable.map(({ providerId, modelId, reasoningEfforts }) => {
      // The catalogue has no other efforts, the least first.
      const efforts = reasoningEfforts as readonly Effort[];
      return {
        providerId,
        modelId,
        displayName: modelId,
        supportedReasoningEfforts: [...efforts],
        defaultReasoningEffort: efforts[0] ?? "none",
      };
    }),
  };
}
