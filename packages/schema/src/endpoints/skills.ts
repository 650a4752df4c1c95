import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { ImportReport, ImportSkills, MAX_SKILL_BYTES, MAX_SKILL_FILES } from "../skill-imports.ts";
import { OfWorkspace, Success, WorkspaceParams } from "../params.ts";
import {
  AdministeredSkill,
  AdministeredTool,
  CreateSkill,
  CreateTool,
  MoveSkill,
  PublishSkill,
  SkillIdentity,
  ToolIdentity,
  UpdateSkill,
  UpdateTool,
} from "../skill-administration.ts";
import { ListSkills, SkillList } from "../skills.ts";

const change = {
  kind: "rpc",
  operation: "mutation",
  role: "builder",
  rateLimit: "operate",
  tags: ["administration"],
} as const;
const read = { ...change, operation: "query" } as const;
const ofSkill = { ...change, output: AdministeredSkill, subject: ["skillId"] } as const;
const moveErrors = ["workspace_not_found", "skill_not_found", "version_conflict"] as const;
/** Operations on skills and their tools. */
export const skillEndpoints = {
  "skills.list": {
    kind: "json",
    summary: "List the skills of the workspace",
    method: "GET",
    path: "/api/v1/w/{wId}/skills",
    params: WorkspaceParams,
    query: ListSkills,
    output: SkillList,
    kept: true,
    status: 200,
    role: "user",
    rateLimit: "read",
    errors: [],
    tags: ["skills"],
    specified: true,
  },
  "skills.import": {
    kind: "form",
    summary: "Import Agent Skills folders",
    method: "POST",
    path: "/api/v1/w/{wId}/skills",
    params: WorkspaceParams,
    body: ImportSkills,
    output: ImportReport,
    status: 200,
    role: "builder",
    rateLimit: "create",
    errors: ["skill_already_exists"],
    tags: ["skills"],
    specified: false,
    maxFiles: MAX_SKILL_FILES,
    maxBytes: MAX_SKILL_BYTES,
  },
  "skills.get": {
    ...read,
    summary: "Read a skill with its version and its editors",
    input: SkillIdentity,
    output: AdministeredSkill,
    errors: ["workspace_not_found", "skill_not_found"],
  },
  "skills.create": {
    ...ofSkill,
    summary: "Create a skill",
    input: CreateSkill,
    subject: [],
    errors: [
      "workspace_not_found",
      "space_not_found",
      "member_not_found",
      "file_not_found",
      "tool_not_found",
    ],
  },
  "skills.update": {
    ...ofSkill,
    summary: "Change a skill, its spaces, editors, files and tools",
    input: UpdateSkill,
    errors: [
      ...moveErrors,
      "space_not_found",
      "member_not_found",
      "file_not_found",
      "tool_not_found",
    ],
  },
  "skills.approve": {
    ...ofSkill,
    summary: "Make a suggested skill active",
    input: MoveSkill,
    errors: moveErrors,
  },
  "skills.archive": {
    ...ofSkill,
    summary: "Archive a skill",
    input: MoveSkill,
    errors: moveErrors,
  },
  "skills.restore": {
    ...ofSkill,
    summary: "Make an archived skill active again",
    input: MoveSkill,
    errors: moveErrors,
  },
  "skills.publish": {
    ...ofSkill,
    summary: "Say who can use an active skill",
    input: PublishSkill,
    errors: moveErrors,
  },
  "tools.list": {
    ...read,
    summary: "List the tools of the workspace",
    input: OfWorkspace,
    output: z.object({ tools: z.array(AdministeredTool).describe("Tools, by name") }),
    errors: ["workspace_not_found"],
  },
  "tools.create": {
    ...change,
    summary: "Add a tool: the view of an MCP server",
    input: CreateTool,
    subject: [],
    output: AdministeredTool,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "tools.update": {
    ...change,
    summary: "Change a tool",
    input: UpdateTool,
    subject: ["toolId"],
    output: AdministeredTool,
    errors: ["workspace_not_found", "tool_not_found", "version_conflict"],
  },
  "tools.remove": {
    ...change,
    summary: "Remove a tool, from the skills that have it too",
    input: ToolIdentity,
    subject: ["toolId"],
    output: Success,
    errors: ["workspace_not_found", "tool_not_found", "version_conflict"],
  },
} as const satisfies Record<string, Endpoint>;
