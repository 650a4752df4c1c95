import * as z from "zod";
import { text } from "./text.ts";

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
