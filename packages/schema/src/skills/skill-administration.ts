import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { optional, Reference, ShortText, text, textOfBytes } from "../parsing/text.ts";
import { Skill, SkillAvailability } from "./skills.ts";

/** Bytes of a skill's instructions, as of an imported `SKILL.md`. */
const MAX_INSTRUCTIONS_BYTES = 1024 * 1024;

const fields = {
  agentFacingDescription: text(1024, 1)
    .describe("Description for agents")
    .meta({ example: "How to refund an order" }),
  userFacingDescription: optional(text(1024)).describe("Description for users"),
  instructions: optional(z.union([z.literal(""), textOfBytes(MAX_INSTRUCTIONS_BYTES)])).describe(
    "Instructions in Markdown; the empty string clears them",
  ),
  icon: optional(ShortText).describe("Name of an icon; the empty string clears it"),
  reinforcement: optional(z.enum(["auto", "on", "off"])).describe("Whether it learns from use"),
  spaceIds: optional(z.array(Reference).max(100)).describe(
    "Spaces of the skill: if some are restricted, only keys that can see one of those can see it",
  ),
  editorIds: optional(z.array(Reference).max(100)).describe(
    "Users who can edit it besides admins; if empty, all builders can",
  ),
  fileIds: optional(z.array(Reference).max(200)).describe("Its files, in order"),
  toolIds: optional(z.array(Reference).max(50)).describe("Its tools, in order"),
};

export const CreateSkill = WorkspaceParams.extend({
  name: text(256, 1).describe("Name of the skill").meta({ example: "refunds" }),
  ...fields,
  status: optional(z.enum(["active", "suggested"])).describe("Status; active by default"),
  availability: optional(SkillAvailability).describe("Who can use it; editors by default"),
});
export type CreateSkill = z.output<typeof CreateSkill>;

const OneSkill = WorkspaceParams.extend({
  skillId: Reference.describe("Id of the skill").meta({ example: "skl_Tq7Wm2Zx9B" }),
  version: z.int().min(0).describe("Version that the change is based on").meta({ example: 3 }),
});
export const MoveSkill = OneSkill;
export type MoveSkill = z.output<typeof MoveSkill>;

export const PublishSkill = OneSkill.extend({
  availability: SkillAvailability.describe("Who can use it; editors means nobody else"),
});
export type PublishSkill = z.output<typeof PublishSkill>;

export const UpdateSkill = OneSkill.extend({
  name: optional(text(256, 1)).describe("New name"),
  ...fields,
  agentFacingDescription: optional(fields.agentFacingDescription)
    .describe("Description for agents")
    .meta({ example: "How to refund an order" }),
});
export type UpdateSkill = z.output<typeof UpdateSkill>;

export const SkillIdentity = WorkspaceParams.extend({
  skillId: Reference.describe("Id of the skill").meta({ example: "skl_Tq7Wm2Zx9B" }),
});

/** A skill as those who administer skills see it. */
export const AdministeredSkill = z.object({
  skill: Skill.describe("The skill"),
  version: z.int().describe("Version of the skill, required for changes").meta({ example: 3 }),
  editorIds: z.array(z.string()).describe("Users who can edit it besides admins"),
});
export type AdministeredSkill = z.infer<typeof AdministeredSkill>;
