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
import {
  FeatureFlags,
  VerifiedDomains,
  WorkspaceExistence,
} from "../workspaces/workspace-facts.ts";
import { administer, administered, get } from "./defaults.ts";

const root = "/api/v1/w/{wId}";
const fact = {
  ...get,
  params: WorkspaceParams,
  scope: "conversations:read",
  tags: ["workspace"],
} as const;

/** Operations on workspaces, by operators and by their admins. */
export const workspaceEndpoints = {
  "workspaces.exists": {
    ...fact,
    summary: "Say that the credential is one of the workspace",
    path: `${root}/exists`,
    output: WorkspaceExistence,
  },
  "featureFlags.list": {
    ...fact,
    summary: "List the feature flags, of which there are none",
    path: `${root}/feature_flags`,
    output: FeatureFlags,
  },
  "verifiedDomains.list": {
    ...fact,
    summary: "List the verified domains, of which there are none",
    path: `${root}/verified_domains`,
    output: VerifiedDomains,
  },
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
    storesLittle: true,
    summary: "Change the settings of a workspace",
    subject: ["wId"],
    output: WorkspaceSettings,
    errors: ["workspace_not_found", "model_disabled"],
  },
} as const satisfies Record<string, Endpoint>;
