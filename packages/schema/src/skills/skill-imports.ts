import * as z from "zod";
import { fromQuery, optional, Reference, text } from "../parsing/text.ts";
import { SkillAvailability, SkillStatus } from "./skills.ts";

/** Most files of an import, and their total size. */
export const MAX_SKILL_FILES = 200;
export const MAX_SKILL_BYTES = 20 * 1024 * 1024;

/** The content type of a part whose file is executable, such as a script. */
export const EXECUTABLE_TYPE = "application/x-executable";

const lowercase = {
  error: "must be lowercase letters and digits, with single hyphens between them",
};

/** The name of an imported skill, which is its folder's name too. */
const SkillFolderName = text(64, 1).regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, lowercase);

/** The front matter of a SKILL.md, as agentskills.io specifies it; other members are ignored. */
export const SkillFrontMatter = z.object({
  name: SkillFolderName.describe("Name of the skill, equal to its folder's"),
  description: text(1024, 1)
    .refine((value) => value.trim() !== "", { error: "must not be blank" })
    .describe("What the skill does, and when to use it"),
  license: optional(text(1024)).describe("License of the skill"),
  compatibility: optional(text(500, 1)).describe("What the skill requires of its environment"),
  metadata: optional(z.record(text(255, 1), text(4096))).describe("Further metadata"),
  "allowed-tools": optional(z.union([text(4096), z.array(text(255, 1)).max(100)])).describe(
    "Tools that it may use without approval",
  ),
});
export type SkillFrontMatter = z.output<typeof SkillFrontMatter>;

/** Multipart fields of an import of skill folders. An empty field counts as absent. */
export const ImportSkills = z.object({
  onConflict: optional(z.enum(["error", "skip", "override"]))
    .describe(
      "What to do if the name exists in the workspace: error (the default) refuses the import",
    )
    .meta({ example: "override" }),
  skillId: optional(Reference)
    .describe("Skill to replace with the only folder, whatever its name; the skill keeps its name")
    .meta({ example: "skl_Tq7Wm2Zx9B" }),
  version: optional(fromQuery(z.int().min(0)))
    .describe("Version that the change is based on; required with skillId, not allowed otherwise")
    .meta({ example: 3 }),
  status: optional(SkillStatus)
    .describe("Status of the imported skills; suggested by default")
    .meta({ example: "active" }),
  availability: optional(SkillAvailability).describe(
    "Who can use the imported skills; editors by default",
  ),
  repoUrl: optional(
    text(2048).refine(isWebAddress, { error: "must be an address that begins with https://" }),
  ).describe("URL of the repository of the folders"),
  source: optional(z.enum(["api", "local_file"])).describe(
    "Where the folders are from, unless repoUrl is on github.com; api by default",
  ),
});
export type ImportSkills = z.output<typeof ImportSkills>;

const ImportedSkill = z.object({
  sId: z.string().describe("Id of the skill").meta({ example: "skl_Bp9Fj3Rt6A" }),
  name: z.string().describe("Name of the skill").meta({ example: "greeting" }),
  filePath: z
    .string()
    .describe("Its SKILL.md in the upload")
    .meta({ example: "greeting/SKILL.md" }),
  reason: z
    .string()
    .describe("Reason for this result")
    .meta({ example: "The workspace had no skill of this name" }),
});

/** What became of each skill of an import. */
export const ImportReport = z.object({
  imported: z.array(ImportedSkill).describe("New skills"),
  updated: z
    .array(ImportedSkill)
    .describe("Existing skills that were replaced")
    .meta({ example: [] }),
  skipped: z
    .array(ImportedSkill)
    .describe("Existing skills that were left as they are")
    .meta({ example: [] }),
});
export type ImportReport = z.infer<typeof ImportReport>;

function isWebAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}
