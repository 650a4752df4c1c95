import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { Milliseconds, optional, ShortText, text } from "../parsing/text.ts";
import { PublicRole } from "../roles.ts";
import { EMBEDDING_DIMENSIONS, EmbeddingService } from "./embedding-services.ts";
import { Currency } from "../parsing/amounts.ts";

/** A workspace as the caller's key sees it. */
export const Workspace = z.object({
  id: z.int().describe("Number of the workspace").meta({ example: 1 }),
  sId: z.string().describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
  name: z.string().describe("Name of the workspace").meta({ example: "Demo" }),
  role: PublicRole.meta({
    description: "The caller's role; a builder's key reads user",
    example: "user",
  }),
  segmentation: z.string().nullable().describe("Segment of the workspace, if any"),
  flags: z.array(z.string()).describe("Feature flags that are on"),
  ssoEnforced: z.boolean().describe("Whether members must sign in through single sign-on"),
  whiteListedProviders: z.array(z.string()).describe("Allowed authentication providers"),
  defaultEmbeddingProvider: z.string().nullable().describe("Default provider of embeddings"),
  regionalModelsOnly: z
    .boolean()
    .describe("Whether only models available in the workspace's region are usable"),
});
export type Workspace = z.infer<typeof Workspace>;

export const CreateWorkspace = z.object({
  name: text(255, 1).describe("Name of the new workspace").meta({ example: "Support" }),
});

export const CreatedWorkspace = z.object({
  workspace: Workspace.describe("The new workspace"),
  adminKey: z.string().describe("Its first admin key; shown only once").meta({ example: "sk-…" }),
});
export type CreatedWorkspace = z.infer<typeof CreatedWorkspace>;

const Model = z.object({
  providerId: ShortText.min(1).describe("Provider of the model").meta({ example: "simulated" }),
  modelId: ShortText.min(1).describe("Model of the provider").meta({ example: "simulated" }),
});

/** Bound on the models that a workspace enables. */
export const MAX_ENABLED_MODELS = 1000;

const models = optional(z.array(Model).max(MAX_ENABLED_MODELS));

/** A model that makes vectors of documents, by which searches find what has the same meaning. */
export const EmbeddingModel = z.object({
  providerId: EmbeddingService.describe("Provider of the model").meta({ example: "openai" }),
  modelId: ShortText.min(1)
    .describe("Model of the provider")
    .meta({ example: "text-embedding-3-small" }),
  dimensions: optional(
    z.int().min(EMBEDDING_DIMENSIONS.least).max(EMBEDDING_DIMENSIONS.most).nullable(),
  )
    .transform((dimensions) => dimensions ?? null)
    .describe("Dimensions to ask for; null, the default, for as many as the model gives")
    .meta({ example: 512 }),
});
export type EmbeddingModel = z.output<typeof EmbeddingModel>;

export const Region = z.enum(["us", "eu"]);
export type Region = z.infer<typeof Region>;

/** Settings of a workspace that admins can change. */
export const WorkspaceSettings = z.object({
  workspaceId: z.string().describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
  name: z.string().describe("Name of the workspace").meta({ example: "Support" }),
  region: Region.describe("Region of the workspace"),
  regionalModelsOnly: z.boolean().describe("Whether only models of the region can be used"),
  recordsRequests: z
    .boolean()
    .describe("Whether the requests to the services of models are recorded"),
  currency: z
    .string()
    .describe("Currency of its prices, budgets and amounts")
    .meta({ example: "USD" }),
  models: z.array(Model).describe("Models that are enabled"),
  embedding: z
    .object({
      providerId: EmbeddingService.describe("Provider of the model").meta({ example: "openai" }),
      modelId: z
        .string()
        .describe("Model of the provider")
        .meta({ example: "text-embedding-3-small" }),
      dimensions: z
        .int()
        .nullable()
        .describe("Dimensions that are asked for; null for as many as it gives"),
    })
    .nullable()
    .describe("The model that makes vectors of documents; null if searches find by words only"),
  suspendedAt: Milliseconds.nullable().describe(
    "When an operator suspended it, if it is suspended",
  ),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export const UpdateWorkspace = WorkspaceParams.extend({
  name: optional(text(255, 1)).describe("New name"),
  region: optional(Region).describe("New region"),
  regionalModelsOnly: optional(z.boolean()).describe(
    "Whether only models of the region can be used",
  ),
  recordsRequests: optional(z.boolean()).describe(
    "Whether the requests to the services of models are recorded; false keeps what is recorded until its retention",
  ),
  embedding: EmbeddingModel.nullish().describe(
    "The model that makes vectors of documents; null for none: searches then find by words only",
  ),
  currency: optional(Currency).describe(
    "New currency, while the workspace has no price, no budget and no costs in another",
  ),
  models: models.describe("Models to enable, replacing the current ones"),
  enableModels: models.describe("Models to enable, in addition to the current ones"),
  disableModels: models.describe("Models to disable, after the others are enabled"),
});
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>;

export const ListWorkspaces = z.object(
  pageQuery("Workspaces", { defaultLimit: 50, place: placeLike(/^\d{1,15}$/) }),
);
export type ListWorkspaces = z.output<typeof ListWorkspaces>;

export const WorkspacePage = z.object({
  workspaces: z
    .array(
      z.object({
        sId: z.string().describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
        name: z.string().describe("Name of the workspace").meta({ example: "Support" }),
        createdAt: Milliseconds.describe("When it was created"),
        suspendedAt: Milliseconds.nullable().describe("When it was suspended, if it is"),
      }),
    )
    .describe("Workspaces, newest first"),
  ...pageEnd,
});
export type WorkspacePage = z.infer<typeof WorkspacePage>;

const count = (what: string) => z.int().describe(`Number of ${what}`).meta({ example: 2 });

/** What a workspace holds. */
export const WorkspaceUsage = z.object({
  conversations: count("conversations"),
  messages: count("messages in conversations, with answers in all versions and fragments"),
  invocations: count("invocations of sandbox functions, by keys and by agents"),
  files: count("uploaded files, not counting inline fragments"),
  fileBytes: count("bytes of these files"),
  storedBytes: count(
    "bytes that the workspace stores in total, as last counted, plus what was written since",
  ),
  storedBytesLimit: count("bytes that it may store"),
  members: count("members"),
  keys: count("keys that are not revoked"),
  agents: count("active agents"),
  skills: count("active skills"),
  functions: count("active sandbox functions"),
  runsWaiting: count("turns and invocations that are queued"),
  runsRunning: count("turns and invocations that are running"),
});
export type WorkspaceUsage = z.infer<typeof WorkspaceUsage>;

/** Operations on workspaces, by operators and by their admins. */
export const workspaceEndpoints = {
  "workspaces.create": {
    ...administer({
      role: "operator",
      method: "POST",
      path: "/api/admin/workspaces",
      input: CreateWorkspace,
    }),
    summary: "Create a workspace and its first admin key",
    subject: [],
    output: CreatedWorkspace,
    errors: [],
  },
  "workspaces.list": {
    ...administer({
      role: "operator",
      method: "GET",
      path: "/api/admin/workspaces",
      input: ListWorkspaces,
    }),
    summary: "List the workspaces, newest first",
    output: WorkspacePage,
    errors: [],
  },
  "workspaces.suspend": {
    ...administer({
      role: "operator",
      method: "POST",
      path: `${administered}/suspend`,
      input: WorkspaceParams,
    }),
    summary: "Suspend a workspace: its keys and tokens are refused",
    subject: ["wId"],
    output: WorkspaceSettings,
  },
  "workspaces.resume": {
    ...administer({
      role: "operator",
      method: "POST",
      path: `${administered}/resume`,
      input: WorkspaceParams,
    }),
    summary: "Resume a suspended workspace",
    subject: ["wId"],
    output: WorkspaceSettings,
  },
  "workspaces.usage": {
    ...administer({
      role: "admin",
      method: "GET",
      path: `${administered}/usage`,
      input: WorkspaceParams,
    }),
    summary: "Count what a workspace contains",
    output: WorkspaceUsage,
  },
  "workspaces.delete": {
    ...administer({
      role: "operator",
      method: "DELETE",
      path: administered,
      input: WorkspaceParams,
    }),
    summary: "Delete a workspace and everything in it",
    subject: ["wId"],
    output: Success,
  },
  "workspaces.get": {
    ...administer({
      role: "admin",
      method: "GET",
      path: administered,
      input: WorkspaceParams,
    }),
    summary: "Read the settings of a workspace",
    output: WorkspaceSettings,
  },
  "workspaces.update": {
    ...administer({
      role: "admin",
      method: "PATCH",
      path: administered,
      input: UpdateWorkspace,
    }),
    storesLittle: true,
    summary: "Change the settings of a workspace",
    subject: ["wId"],
    output: WorkspaceSettings,
    errors: ["workspace_not_found", "model_disabled"],
  },
} as const satisfies Record<string, Endpoint>;
