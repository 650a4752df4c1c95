import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import {
  CreatedWorkspace,
  CreateWorkspace,
  ListWorkspaces,
  UpdateWorkspace,
  WorkspacePage,
  WorkspaceSettings,
  WorkspaceUsage,
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
  "workspaces.list": {
    ...administer({
      role: "operator",
      method: "GET",
      path: "/api/admin/workspaces",
      input: ListWorkspaces,
    }),
    summary: "List the workspaces, the newest first",
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
    summary: "Count what a workspace holds",
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
    summary: "Change the settings of a workspace",
    subject: ["wId"],
    output: WorkspaceSettings,
    errors: ["workspace_not_found", "model_disabled"],
  },
} as const satisfies Record<string, Endpoint>;
