import * as z from "zod";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds } from "../parsing/text.ts";
import { SkillIdentity } from "./skill-administration.ts";
import { Skill } from "./skills.ts";

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
