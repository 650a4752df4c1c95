import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import {
  CreateSpace,
  ListSpaces,
  Space,
  SpaceWithKeys,
  UpdateSpace,
} from "../workspaces/spaces.ts";
import { adminMutation, get } from "./defaults.ts";

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
    ...adminMutation,
    summary: "Create a space",
    subject: [],
    input: CreateSpace,
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
  "spaces.update": {
    ...adminMutation,
    summary: "Rename or restrict a space, or set which keys reach it",
    subject: ["spaceId"],
    input: UpdateSpace,
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "space_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
