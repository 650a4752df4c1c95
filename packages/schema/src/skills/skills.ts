import * as z from "zod";
import { Milliseconds, optional } from "../parsing/text.ts";
import { Tool } from "../tools/tools.ts";

export const SkillStatus = z.enum(["active", "archived", "suggested"]);
export type SkillStatus = z.infer<typeof SkillStatus>;

export const SkillAvailability = z.enum(["editors", "workspace_users", "users_and_agents"]);
export type SkillAvailability = z.infer<typeof SkillAvailability>;

/** A skill that agents work with; every key is always present. */
export const Skill = z.object({
  sId: z.string().describe("Id of the skill").meta({ example: "skl_Bp9Fj3Rt6A" }),
  createdAt: Milliseconds.nullable().describe("When the skill was created"),
  updatedAt: Milliseconds.nullable().describe("When the skill last changed"),
  editedBy: z.int().nullable().describe("Number of the user who edited it last"),
  status: SkillStatus.describe("Status of the skill"),
  name: z.string().describe("Name of the skill").meta({ example: "greeting" }),
  agentFacingDescription: z
    .string()
    .describe("Description for agents")
    .meta({ example: "How to greet a customer" }),
  userFacingDescription: z
    .string()
    .describe("Description for users")
    .meta({ example: "Greets customers" }),
  icon: z.string().nullable().describe("Name of an icon").meta({ example: "ActionCommandIcon" }),
  source: z
    .enum(["web_app", "github", "api", "local_file", "agent"])
    .nullable()
    .describe("Where the skill came from")
    .meta({ example: "api" }),
  sourceMetadata: z
    .object({
      repoUrl: z.string().describe("URL of the repository"),
      filePath: z.string().describe("Path in the repository"),
    })
    .nullable()
    .describe("Origin of an imported skill"),
  reinforcement: z.enum(["auto", "on", "off"]).describe("Whether the skill learns from use"),
  lastReinforcementAnalysisAt: z.iso
    .datetime()
    .nullable()
    .describe("When its use was last analysed"),
  requestedSpaceIds: z.array(z.string()).describe("Spaces the skill needs"),
  manuallyRequestedSpaceIds: z.array(z.string()).describe("Spaces requested by an editor"),
  fileAttachments: z
    .array(
      z.object({
        fileId: z.string().describe("Id of the file"),
        fileName: z.string().describe("Name of the file"),
      }),
    )
    .describe("Files of the skill"),
  canRead: z.boolean().describe("Whether the caller may read it").meta({ example: true }),
  canWrite: z.boolean().describe("Whether the caller may change it"),
  isDefault: z.boolean().describe("True exactly when availability is users_and_agents"),
  availability: SkillAvailability.meta({
    description: "Who can use it; editors means unpublished",
    example: "workspace_users",
  }),
  instructions: z
    .string()
    .nullable()
    .describe("Instructions in Markdown")
    .meta({ example: "Say hello, and ask what can be done." }),
  instructionsHtml: z
    .string()
    .nullable()
    .describe("Instructions in HTML")
    .meta({ example: "<p>Say hello, and ask what can be done.</p>" }),
  tools: z.array(Tool).describe("Tools of the skill"),
});
export type Skill = z.infer<typeof Skill>;

// Only the literal `true` counts; anything else is false, not an error.
const bypass = (z.unknown() as z.ZodType<unknown, boolean>)
  .optional()
  .transform((value) => value === "true" || value === true);

/** Query of the listing. A repeated key gives an array. */
export const ListSkills = z.object({
  status: optional(SkillStatus)
    .transform((status) => status ?? "active")
    .describe("Status of the skills; active by default")
    .meta({ example: "active" }),
  availability: optional(
    z.preprocess(
      (value: SkillAvailability | readonly SkillAvailability[]) =>
        typeof value === "string" ? [value] : value,
      z
        .array(SkillAvailability)
        .max(16)
        // Cached responses are keyed by input; order and repetition do not matter.
        .transform((availabilities) => [...new Set(availabilities)].toSorted()),
    ),
  ).describe("Availabilities to list; repeat the parameter for several"),
  bypassEditorVisibility: bypass.describe(
    "Whether to also list unpublished skills; needs an admin key",
  ),
});
export type ListSkills = z.output<typeof ListSkills>;

/** Query of the read of one skill. */
export const ReadSkill = z.object({
  bypassEditorVisibility: bypass.describe("Whether to read unpublished skills; needs an admin key"),
});
export type ReadSkill = z.output<typeof ReadSkill>;

export const SkillList = z.object({ skills: z.array(Skill).describe("Skills, by name") });
export type SkillList = z.infer<typeof SkillList>;
