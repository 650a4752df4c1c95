import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import {
  CreatedWorkspace,
  CreateWorkspace,
  UpdateWorkspace,
  WorkspaceSettings,
} from "../workspaces/workspaces.ts";
import { administer, administered } from "./defaults.ts";

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
    summary: "Change the settings of a workspace",
    subject: ["wId"],
    output: WorkspaceSettings,
    errors: ["workspace_not_found", "model_disabled"],
  },
} as const satisfies Record<string, Endpoint>;
