import * as z from "zod";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import {
  Milliseconds,
  optional,
  Reference,
  ShortText,
  text,
  textOfBytes,
} from "../parsing/text.ts";
import { Skill, SkillAvailability } from "./skills.ts";
import { WorkspaceParams } from "../params.ts";

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

/** Versions of a skill that are kept: the newest. */
export const MAX_SKILL_VERSIONS = 100;

export const ListSkillVersions = SkillIdentity.extend(pageByNumber("Versions", 20));
export type ListSkillVersions = z.output<typeof ListSkillVersions>;

/** All that a change of a skill can change, but for its editors. */
export const SkillDefinition = Skill.pick({
  name: true,
  status: true,
  availability: true,
  agentFacingDescription: true,
  userFacingDescription: true,
  icon: true,
  source: true,
  sourceMetadata: true,
  reinforcement: true,
  manuallyRequestedSpaceIds: true,
  instructions: true,
}).extend({
  fileAttachments: Skill.shape.fileAttachments.describe(
    "Its files, in order; a file may have been deleted since",
  ),
  tools: z
    .array(
      z.object({
        sId: z.string().describe("Id of the tool").meta({ example: "msv_Wc8Yd4Qz1R" }),
        name: z.string().describe("Name that the tool had").meta({ example: "search" }),
      }),
    )
    .describe("Its tools, in order; a tool may have been removed since"),
});
export type SkillDefinition = z.infer<typeof SkillDefinition>;

/** What a skill was in one of its versions, which never change. */
export const SkillVersion = SkillDefinition.extend({
  version: z.int().describe("Number of the version, from 0").meta({ example: 3 }),
  createdAt: Milliseconds.describe("When the version was created"),
  editor: z
    .object({
      sId: z.string().describe("Id of the user"),
      name: z.string().describe("Name of the user"),
    })
    .nullable()
    .describe("Who created it; null for an operator"),
});
export type SkillVersion = z.infer<typeof SkillVersion>;

export const SkillVersionPage = z.object({
  versions: z
    .array(SkillVersion)
    .describe(
      `Versions, newest first, of which ${MAX_SKILL_VERSIONS} are kept, and fewer old ones ` +
        "(PARLEY_VERSION_RETENTION_DAYS). A page of large versions has fewer than asked for",
    ),
  ...pageEnd,
});
export type SkillVersionPage = z.infer<typeof SkillVersionPage>;
