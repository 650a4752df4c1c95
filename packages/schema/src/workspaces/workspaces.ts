import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { optional, ShortText, text } from "../parsing/text.ts";
import { WorkspaceRole } from "../roles.ts";

/** A workspace as the caller's key sees it. */
export const Workspace = z.object({
  id: z.int().describe("Number of the workspace").meta({ example: 1 }),
  sId: z.string().describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
  name: z.string().describe("Name of the workspace").meta({ example: "Demo" }),
  role: WorkspaceRole.meta({
    description: "The caller's role: the role of the key",
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
  adminKey: z
    .string()
    .describe("Its first admin key; it is shown only here")
    .meta({ example: "sk-…" }),
});
export type CreatedWorkspace = z.infer<typeof CreatedWorkspace>;

const Model = z.object({
  providerId: ShortText.min(1).describe("Provider of the model").meta({ example: "simulated" }),
  modelId: ShortText.min(1).describe("Model of the provider").meta({ example: "simulated" }),
});

export const Region = z.enum(["us", "eu"]);
export type Region = z.infer<typeof Region>;

/** Settings of a workspace that admins can change. */
export const WorkspaceSettings = z.object({
  workspaceId: z.string().describe("Id of the workspace").meta({ example: "Ab3dE5fG7h" }),
  name: z.string().describe("Name of the workspace").meta({ example: "Support" }),
  region: Region.describe("Region of the workspace"),
  regionalModelsOnly: z.boolean().describe("Whether only models of the region are usable"),
  models: z.array(Model).describe("Models that are enabled"),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export const UpdateWorkspace = WorkspaceParams.extend({
  name: optional(text(255, 1)).describe("New name"),
  region: optional(Region).describe("New region"),
  regionalModelsOnly: optional(z.boolean()).describe(
    "Whether only models of the region are usable",
  ),
  models: optional(z.array(Model).max(1000)).describe(
    "Models to enable, in place of the current ones",
  ),
});
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>;
