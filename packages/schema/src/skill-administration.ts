import * as z from "zod";
import { OfWorkspace } from "./params.ts";
import { Skill, SkillAvailability } from "./skills.ts";
import { optional, Reference, ShortText, text, textOfBytes } from "./text.ts";
import { Tool, ToolServer } from "./tools.ts";

/** Bytes of a skill's instructions, as of an imported `SKILL.md`. */
const MAX_INSTRUCTIONS_BYTES = 1024 * 1024;
/** Bytes of a server's description with its tools and their schemas. */
const MAX_SERVER_BYTES = 256 * 1024;

const fields = {
  agentFacingDescription: text(1024, 1).describe("What agents are told of it"),
  userFacingDescription: optional(text(1024)).describe("What users are told of it"),
  instructions: optional(z.union([z.literal(""), textOfBytes(MAX_INSTRUCTIONS_BYTES)])).describe(
    "Instructions in Markdown; the empty text clears them",
  ),
  icon: optional(ShortText).describe("Name of an icon; the empty text clears it"),
  reinforcement: optional(z.enum(["auto", "on", "off"])).describe("Whether it learns from use"),
  spaceIds: optional(z.array(Reference).max(100)).describe(
    "Spaces that it is for: where some are restricted, only keys that reach one of those see it",
  ),
  editorIds: optional(z.array(Reference).max(100)).describe(
    "Users who may change it beside admins; none, and all builders may",
  ),
  fileIds: optional(z.array(Reference).max(200)).describe("Its files, in order"),
  toolIds: optional(z.array(Reference).max(50)).describe("Its tools, in order"),
};

export const CreateSkill = OfWorkspace.extend({
  name: text(256, 1).describe("Name of the skill"),
  ...fields,
  status: optional(z.enum(["active", "suggested"])).describe("State; active by default"),
  availability: optional(SkillAvailability).describe("Who can use it; editors by default"),
});
export type CreateSkill = z.output<typeof CreateSkill>;

const OneSkill = OfWorkspace.extend({
  skillId: Reference.describe("Id of the skill"),
  version: z.int().min(0).describe("Version that the change was made from"),
});
export const MoveSkill = OneSkill;
export type MoveSkill = z.output<typeof MoveSkill>;

export const PublishSkill = OneSkill.extend({
  availability: SkillAvailability.describe("Who can use it; editors means that nobody else does"),
});
export type PublishSkill = z.output<typeof PublishSkill>;

export const UpdateSkill = OneSkill.extend({
  name: optional(text(256, 1)).describe("New name"),
  ...fields,
  agentFacingDescription: optional(fields.agentFacingDescription).describe(
    "What agents are told of it",
  ),
});
export type UpdateSkill = z.output<typeof UpdateSkill>;

export const SkillIdentity = OfWorkspace.extend({ skillId: Reference.describe("Id of the skill") });

/** A skill with what only who administers it is shown. */
export const AdministeredSkill = z.object({
  skill: Skill.describe("The skill"),
  version: z.int().describe("Version of the skill, which changes have to name"),
  editorIds: z.array(z.string()).describe("Users who may change it beside admins"),
});
export type AdministeredSkill = z.infer<typeof AdministeredSkill>;

// MCP has tools take an object.
const inputSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => schema["type"] === "object", { path: ["type"], error: 'must be "object"' })
  .describe("JSON Schema of the input");
const serverTool = ToolServer.shape.tools.element.extend({ inputSchema });
const serverTools = z.array(serverTool).max(256).describe("Tools of the server");

const server = ToolServer.extend({ tools: serverTools }).refine(
  (value) => JSON.stringify(value).length <= MAX_SERVER_BYTES,
  `must be at most ${MAX_SERVER_BYTES} characters of JSON`,
);

export const CreateTool = OfWorkspace.extend({
  spaceId: Reference.describe("Space of the tool"),
  name: text(255, 1).describe("Name of the tool"),
  description: text(4096).describe("What the tool does"),
  serverType: Tool.shape.serverType,
  server: server.describe("The MCP server"),
  oAuthUseCase: optional(Tool.shape.oAuthUseCase).describe(
    "Whose credentials the tool uses; platform_actions by default",
  ),
  isRestrictedToSkills: optional(z.boolean()).describe("Whether only skills can use the tool"),
});
export type CreateTool = z.output<typeof CreateTool>;

export const AdministeredTool = z.object({
  tool: Tool.describe("The tool, as skills show it"),
  version: z.int().describe("Version of the tool, which changes have to name"),
});
export type AdministeredTool = z.output<typeof AdministeredTool>;

export const ToolIdentity = OfWorkspace.extend({
  toolId: Reference.describe("Id of the tool"),
  version: z.int().min(0).describe("Version that the change was made from"),
});
export type ToolIdentity = z.output<typeof ToolIdentity>;

export const UpdateTool = ToolIdentity.extend({
  name: optional(text(255, 1)).describe("New name"),
  description: optional(text(4096)).describe("What the tool does"),
  server: optional(server).describe("The MCP server"),
  oAuthUseCase: optional(Tool.shape.oAuthUseCase).describe("Whose credentials the tool uses"),
  isRestrictedToSkills: optional(z.boolean()).describe("Whether only skills can use the tool"),
});
export type UpdateTool = z.output<typeof UpdateTool>;
