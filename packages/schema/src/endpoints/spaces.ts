import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import {
  ListProjectFiles,
  ListSpaceConversationIds,
  ListSpaceConversations,
  ProjectFiles,
  ProjectMetadata,
  SpaceConversationIds,
  SpaceConversations,
} from "../conversations/space-content.ts";
import { Success, WorkspaceParams } from "../params.ts";
import {
  CreateSpace,
  DeleteSpace,
  ListAllSpaces,
  ListSpaces,
  Space,
  SpaceIdentity,
  SpacePage,
  SpaceWithKeys,
  UpdateSpace,
} from "../workspaces/spaces.ts";
import { administer, administered, get } from "./defaults.ts";

const inSpace = "/api/v1/w/{wId}/spaces/{spaceId}";
const ofSpace = {
  ...get,
  scope: "conversations:read",
  params: SpaceIdentity,
  tags: ["spaces"],
  errors: ["space_not_found"],
} as const;

/** Operations on spaces. */
export const spaceEndpoints = {
  "spaces.list": {
    ...get,
    scope: "conversations:read",
    summary: "List the spaces that the key reaches",
    path: "/api/v1/w/{wId}/spaces",
    params: WorkspaceParams,
    query: ListSpaces,
    output: z.object({ spaces: z.array(Space).describe("Spaces, by name") }),
    tags: ["spaces"],
  },
  "spaces.listConversationIds": {
    ...ofSpace,
    summary: "List the ids of the conversations in a space",
    path: `${inSpace}/conversation_ids`,
    query: ListSpaceConversationIds,
    output: SpaceConversationIds,
  },
  "spaces.listConversations": {
    ...ofSpace,
    summary: "List the conversations in a space with their messages",
    path: `${inSpace}/conversations`,
    query: ListSpaceConversations,
    output: SpaceConversations,
  },
  "spaces.getProjectMetadata": {
    ...ofSpace,
    summary: "Read a space as a project",
    path: `${inSpace}/project_metadata`,
    output: z.object({ metadata: ProjectMetadata.describe("The space") }),
  },
  "spaces.listProjectFiles": {
    ...ofSpace,
    summary: "List the files of the conversations in a space",
    path: `${inSpace}/project_files`,
    query: ListProjectFiles,
    output: ProjectFiles,
  },
  "spaces.create": {
    ...administer({
      role: "admin",
      method: "POST",
      path: `${administered}/spaces`,
      input: CreateSpace,
    }),
    summary: "Create a space",
    subject: [],
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
  "spaces.get": {
    ...administer({
      role: "admin",
      method: "GET",
      path: `${administered}/spaces/{spaceId}`,
      input: SpaceIdentity,
    }),
    summary: "Read a space, and which keys reach it",
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "spaces.listAll": {
    ...administer({
      role: "admin",
      method: "GET",
      path: `${administered}/spaces`,
      input: ListAllSpaces,
    }),
    summary: "List all spaces, also those that the key does not reach",
    output: SpacePage,
  },
  "spaces.delete": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${administered}/spaces/{spaceId}`,
      input: DeleteSpace,
    }),
    summary: "Delete a space, with what it holds if that is asked for",
    subject: ["spaceId"],
    output: Success,
    errors: ["workspace_not_found", "space_not_found", "space_not_empty"],
  },
  "spaces.update": {
    ...administer({
      role: "admin",
      method: "PATCH",
      path: `${administered}/spaces/{spaceId}`,
      input: UpdateSpace,
    }),
    storesLittle: true,
    summary: "Rename or restrict a space, or set which keys reach it",
    subject: ["spaceId"],
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "space_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
