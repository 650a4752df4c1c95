import * as z from "zod";
import { OfWorkspace } from "./params.ts";
import { optional, ShortText, text } from "./text.ts";

/** Roles of a workspace key, the least first. */
export const WorkspaceRole = z.enum(["none", "user", "builder", "admin"]);
export type WorkspaceRole = z.infer<typeof WorkspaceRole>;

/** Who may call an endpoint: the least role of a workspace key, or an operator key. */
export const Role = z.enum([...WorkspaceRole.options, "operator"]);
export type Role = z.infer<typeof Role>;

/** A workspace as the caller's key sees it. */
export const Workspace = z.object({
  id: z.int().describe("Number of the workspace"),
  sId: z.string().describe("Id of the workspace"),
  name: z.string().describe("Name of the workspace"),
  role: WorkspaceRole.describe("The caller's role: the role of the key"),
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
  name: text(255, 1).describe("Name of the new workspace"),
});

export const CreatedWorkspace = z.object({
  workspace: Workspace.describe("The new workspace"),
  adminKey: z.string().describe("Its first admin key; it is shown only here"),
});
export type CreatedWorkspace = z.infer<typeof CreatedWorkspace>;

const Model = z.object({
  providerId: ShortText.min(1).describe("Provider of the model"),
  modelId: ShortText.min(1).describe("Model of the provider"),
});

export const Region = z.enum(["us", "eu"]);
export type Region = z.infer<typeof Region>;

/** What admins can set of a workspace. */
export const WorkspaceSettings = z.object({
  workspaceId: z.string().describe("Id of the workspace"),
  name: z.string().describe("Name of the workspace"),
  region: Region.describe("Region of the workspace"),
  regionalModelsOnly: z.boolean().describe("Whether only models of the region are usable"),
  models: z.array(Model).describe("Models that are enabled"),
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export const UpdateWorkspace = OfWorkspace.extend({
  name: optional(text(255, 1)).describe("New name"),
  region: optional(Region).describe("New region"),
  regionalModelsOnly: optional(z.boolean()).describe(
    "Whether only models of the region are usable",
  ),
  models: optional(z.array(Model).max(1000)).describe("Models to enable, in place of those before"),
});
export type UpdateWorkspace = z.output<typeof UpdateWorkspace>;
