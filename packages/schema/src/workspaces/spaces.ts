import * as z from "zod";
import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { flagFromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";

const SpaceKind = z.enum(["regular", "global", "system", "public", "conversations", "project"]);
type SpaceKind = z.infer<typeof SpaceKind>;

/** A space: its conversations, tools and data are visible to the keys that reach it. */
export const Space = z.object({
  createdAt: Milliseconds.describe("When the space was created"),
  groupIds: z.array(z.string()).describe("Always empty"),
  isRestricted: z.boolean().describe("Whether only the given keys can see it"),
  kind: SpaceKind.describe("Kind of space"),
  name: z.string().describe("Name of the space").meta({ example: "Support" }),
  sId: z.string().describe("Id of the space").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  updatedAt: Milliseconds.describe("When the space last changed"),
});
export type Space = z.infer<typeof Space>;

/** Query of the listing of spaces. */
export const ListSpaces = z.object({
  kinds: optional(
    z.preprocess(
      // A repeated key, or one value with commas.
      (value: SpaceKind | readonly SpaceKind[]) =>
        typeof value === "string" ? value.split(",") : value,
      z.array(SpaceKind).max(16),
    ),
  ).describe("Kinds of spaces to list; all by default"),
});
export type ListSpaces = z.output<typeof ListSpaces>;

const keyIds = optional(z.array(Reference).max(1000)).describe("Ids of the keys that can see it");

export const CreateSpace = WorkspaceParams.extend({
  name: text(255, 1).describe("Name of the space").meta({ example: "Support" }),
  isRestricted: optional(z.boolean()).describe("Whether only the given keys can see it"),
  keyIds,
});
export type CreateSpace = z.output<typeof CreateSpace>;

export const SpaceIdentity = WorkspaceParams.extend({
  spaceId: Reference.describe("Id of the space").meta({ example: "vlt_Gw4Xs7Dq2M" }),
});

export const DeleteSpace = SpaceIdentity.extend({
  withContent: optional(flagFromQuery)
    .transform((isGiven) => isGiven ?? false)
    .describe("Whether to also delete the space's content; false by default"),
});
export type DeleteSpace = z.output<typeof DeleteSpace>;

export const ListAllSpaces = WorkspaceParams.extend(
  pageQuery("Spaces", { defaultLimit: 50, place: placeLike(/^\d{1,15}$/) }),
);
export type ListAllSpaces = z.output<typeof ListAllSpaces>;

export const UpdateSpace = SpaceIdentity.extend({
  name: optional(text(255, 1)).describe("New name"),
  isRestricted: optional(z.boolean()).describe("Whether only the given keys can see it"),
  keyIds,
});
export type UpdateSpace = z.output<typeof UpdateSpace>;

export const SpaceWithKeys = z.object({
  space: Space.describe("The space"),
  keyIds: z.array(z.string()).describe("Ids of the keys that can see it although it is restricted"),
});
export type SpaceWithKeys = z.infer<typeof SpaceWithKeys>;

export const SpacePage = z.object({
  spaces: z
    .array(
      Space.extend({
        keyIds: z
          .array(z.string())
          .describe("Ids of the keys that can see it although it is restricted"),
      }),
    )
    .describe("Spaces, oldest first"),
  ...pageEnd,
});
export type SpacePage = z.infer<typeof SpacePage>;

/** Operations on the spaces that a key reaches. */
export const spaceEndpoints = {
  "spaces.list": {
    ...get,
    scope: "conversations:read",
    summary: "List the spaces that the key can see",
    path: "/api/v1/w/{wId}/spaces",
    params: WorkspaceParams,
    query: ListSpaces,
    output: z.object({ spaces: z.array(Space).describe("Spaces, by name") }),
    tags: ["spaces"],
  },
} as const satisfies Record<string, Endpoint>;

/** Operations on all spaces of a workspace. */
export const spaceAdministrationEndpoints = {
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
    summary: "Read a space and the keys that can see it",
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
    summary: "List all spaces, including those that the key cannot see",
    output: SpacePage,
  },
  "spaces.delete": {
    ...administer({
      role: "admin",
      method: "DELETE",
      path: `${administered}/spaces/{spaceId}`,
      input: DeleteSpace,
    }),
    summary: "Delete a space, optionally with its content",
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
    summary: "Rename or restrict a space, or set which keys can see it",
    subject: ["spaceId"],
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "space_not_found", "api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
