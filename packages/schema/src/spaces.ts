import * as z from "zod";
import { OfWorkspace } from "./params.ts";
import { Milliseconds, optional, Reference, text } from "./text.ts";

/** A space: conversations, tools and data in it are seen by the keys that reach it. */
export const Space = z.object({
  createdAt: Milliseconds.describe("When the space was made"),
  groupIds: z.array(z.string()).describe("Always empty"),
  isRestricted: z.boolean().describe("Whether only given keys reach it"),
  kind: z
    .enum(["regular", "global", "system", "public", "conversations", "project"])
    .describe("Kind of space"),
  name: z.string().describe("Name of the space"),
  sId: z.string().describe("Id of the space"),
  updatedAt: Milliseconds.describe("When the space last changed"),
});
export type Space = z.infer<typeof Space>;

const keyIds = optional(z.array(Reference).max(1000)).describe("Ids of the keys that reach it");

export const CreateSpace = OfWorkspace.extend({
  name: text(255, 1).describe("Name of the space"),
  isRestricted: optional(z.boolean()).describe("Whether only given keys reach it"),
  keyIds,
});
export type CreateSpace = z.output<typeof CreateSpace>;

export const UpdateSpace = OfWorkspace.extend({
  spaceId: Reference.describe("Id of the space"),
  name: optional(text(255, 1)).describe("New name"),
  isRestricted: optional(z.boolean()).describe("Whether only given keys reach it"),
  keyIds,
});
export type UpdateSpace = z.output<typeof UpdateSpace>;

export const SpaceWithKeys = z.object({
  space: Space.describe("The space"),
  keyIds: z.array(z.string()).describe("Ids of the keys that reach it although it is restricted"),
});
export type SpaceWithKeys = z.infer<typeof SpaceWithKeys>;
