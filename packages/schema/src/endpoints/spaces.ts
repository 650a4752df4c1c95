import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
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
    summary: "Rename or restrict a space, or set which keys reach it",
    subject: ["spaceId"],
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "space_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
