import * as z from "zod";
import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { Region } from "./workspaces.ts";

/** A model that the server knows, as a workspace may use it. */
export const ListedModel = z.object({
  providerId: z.string().describe("Provider of the model").meta({ example: "openai" }),
  modelId: z.string().describe("Model of the provider").meta({ example: "gpt-5" }),
  contextTokens: z
    .int()
    .nullable()
    .describe("Size of its context in tokens; null where a setting of the workers has it"),
  regions: z.array(Region).describe("Regions that it is available in"),
  needsCredential: z
    .boolean()
    .describe("Whether calls need a credential, or a server of one's own"),
  hasDeploymentCredential: z
    .boolean()
    .describe("Whether the settings of a live worker have the credential, or name the server"),
  hasWorkspaceCredential: z.boolean().describe("Whether the workspace has a credential of its own"),
  isEnabled: z.boolean().describe("Whether the workspace has enabled it"),
});
export type ListedModel = z.infer<typeof ListedModel>;

export const ModelList = z.object({
  models: z
    .array(ListedModel)
    .describe("The known models, and those of a server of one's own that are enabled"),
});
export type ModelList = z.infer<typeof ModelList>;

/** How much a model reasons before it answers, the least first. */
export const ReasoningEffort = z.enum(["none", "light", "medium", "high"]);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/** The models that a workspace may use, as the public interface lists them. */
export const UsableModels = z.object({
  models: z
    .array(
      z.object({
        providerId: z.string().describe("Provider of the model").meta({ example: "openai" }),
        modelId: z.string().describe("Model of the provider").meta({ example: "gpt-5" }),
        displayName: z.string().describe("Name to show").meta({ example: "gpt-5" }),
        supportedReasoningEfforts: z
          .array(ReasoningEffort)
          .describe("Efforts that a message or an agent may ask for, the least first")
          .meta({ example: ["light", "medium", "high"] }),
        defaultReasoningEffort: ReasoningEffort.describe(
          "The least of these; none for a model without efforts",
        ).meta({ example: "light" }),
      }),
    )
    .describe("The enabled models of the workspace's region"),
});
export type UsableModels = z.infer<typeof UsableModels>;

/** Operations on models. */
export const modelEndpoints = {
  "models.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/models`,
      input: WorkspaceParams,
    }),
    summary: "List the models that the server knows",
    output: ModelList,
  },
  "models.listUsable": {
    ...get,
    summary: "List the models that the workspace may use",
    role: "admin",
    scope: null,
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/models",
    params: WorkspaceParams,
    output: UsableModels,
  },
} as const satisfies Record<string, Endpoint>;
