import * as z from "zod";
import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { ShortText } from "../parsing/text.ts";
import { Region } from "./workspaces.ts";

/** Kinds of files that a model may take as they are. */
export const FileKind = z.enum(["image", "pdf", "audio"]);
export type FileKind = z.infer<typeof FileKind>;

/** Files that a model takes as they are. */
export const TakenFiles = z.object({
  kind: FileKind.describe("Kind of file"),
  contentTypes: z
    .array(z.string())
    .describe("MIME types")
    .meta({ example: ["image/png", "image/jpeg"] }),
  maxBytes: z.int().describe("Bytes of one file at most"),
  maxCount: z.int().describe("Files of the kind in one request at most"),
  maxSidePixels: z
    .int()
    .nullable()
    .describe("Width and height of an image at most, in pixels; null without a limit"),
  maxPages: z
    .int()
    .nullable()
    .describe("Pages of all PDFs in one request at most; null without a limit"),
});
export type TakenFiles = z.infer<typeof TakenFiles>;

/** A model that the server knows, as a workspace may use it. */
export const ListedModel = z.object({
  providerId: z.string().describe("Provider of the model").meta({ example: "openai" }),
  modelId: z.string().describe("Model of the provider").meta({ example: "gpt-5" }),
  contextTokens: z
    .int()
    .nullable()
    .describe("Context window in tokens; null if a setting of the workers defines it"),
  takes: z
    .array(TakenFiles)
    .nullable()
    .describe(
      "Files that it takes as they are: none if it reads text only; null if a setting of the workers defines it",
    ),
  regions: z.array(Region).describe("Regions where it is available"),
  needsCredential: z.boolean().describe("Whether calls need a credential, or your own server"),
  hasDeploymentCredential: z
    .boolean()
    .describe("Whether a running worker's settings have the credential, or name the server"),
  hasWorkspaceCredential: z.boolean().describe("Whether the workspace has a credential of its own"),
  isEnabled: z.boolean().describe("Whether the workspace has enabled it"),
});
export type ListedModel = z.infer<typeof ListedModel>;

export const ModelList = z.object({
  models: z
    .array(ListedModel)
    .describe("The known models, and the enabled ones of your own server"),
});
export type ModelList = z.infer<typeof ModelList>;

/** Names a model of a provider in a request. */
export const ModelPair = z.object({
  providerId: ShortText.min(1).describe("Provider of the model").meta({ example: "openai" }),
  modelId: ShortText.min(1).describe("Model of the provider").meta({ example: "gpt-5" }),
});
export type ModelPair = z.infer<typeof ModelPair>;

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
          .describe("Reasoning efforts that a message or an agent may ask for, lowest first")
          .meta({ example: ["light", "medium", "high"] }),
        defaultReasoningEffort: ReasoningEffort.describe(
          "The lowest of these; none for a model without them",
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
