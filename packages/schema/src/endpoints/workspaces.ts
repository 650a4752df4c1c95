import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success } from "../params.ts";
import {
  CreatedWorkspace,
  CreateWorkspace,
  UpdateWorkspace,
  WorkspaceSettings,
} from "../workspaces/workspaces.ts";
import { adminMutation, adminQuery } from "./defaults.ts";

/** Operations on workspaces, by operators and by their admins. */
export const workspaceEndpoints = {
  "workspaces.create": {
    ...adminMutation,
    role: "operator",
    summary: "Create a workspace and its first admin key",
    subject: [],
    input: CreateWorkspace,
    output: CreatedWorkspace,
    errors: [],
  },
  "workspaces.delete": {
    ...adminMutation,
    role: "operator",
    summary: "Delete a workspace and everything in it",
    subject: ["workspaceId"],
    input: OfWorkspace,
    output: Success,
  },
  "workspaces.get": {
    ...adminQuery,
    summary: "Read the settings of a workspace",
    input: OfWorkspace,
    output: WorkspaceSettings,
  },
  "workspaces.update": {
    ...adminMutation,
    summary: "Change the settings of a workspace",
    subject: ["workspaceId"],
    input: UpdateWorkspace,
    output: WorkspaceSettings,
    errors: ["workspace_not_found", "model_disabled"],
  },
} as const satisfies Record<string, Endpoint>;
