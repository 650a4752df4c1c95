import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import {
  AdministeredSkill,
  CreateSkill,
  MoveSkill,
  PublishSkill,
  SkillIdentity,
  UpdateSkill,
} from "../skills/skill-administration.ts";
import {
  ImportReport,
  ImportSkills,
  MAX_SKILL_BYTES,
  MAX_SKILL_FILES,
} from "../skills/skill-imports.ts";
import { ListSkills, SkillList } from "../skills/skills.ts";
import { builderMutation, builderQuery, get, post } from "./defaults.ts";

const list = { path: "/api/v1/w/{wId}/skills", params: WorkspaceParams, tags: ["skills"] } as const;
const ofSkill = {
  ...builderMutation,
  output: AdministeredSkill,
  subject: ["skillId"],
  errors: ["workspace_not_found", "skill_not_found", "version_conflict"],
} as const;
const referenceErrors = [
  "space_not_found",
  "member_not_found",
  "file_not_found",
  "tool_not_found",
] as const;

/** Operations on skills. */
export const skillEndpoints = {
  "skills.list": {
    ...get,
    ...list,
    scope: "skills:read",
    summary: "List the skills of the workspace",
    query: ListSkills,
    output: SkillList,
    cacheable: true,
    specified: true,
  },
  "skills.import": {
    ...post,
    ...list,
    kind: "multipart",
    scope: null,
    summary: "Import Agent Skills folders",
    role: "builder",
    body: ImportSkills,
    output: ImportReport,
    errors: ["skill_already_exists"],
    maxFiles: MAX_SKILL_FILES,
    maxBytes: MAX_SKILL_BYTES,
  },
  "skills.get": {
    ...builderQuery,
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
    errors: ["workspace_not_found", ...referenceErrors],
  },
  "skills.update": {
    ...ofSkill,
    summary: "Change a skill, its spaces, editors, files and tools",
    input: UpdateSkill,
    errors: [...ofSkill.errors, ...referenceErrors],
  },
  "skills.approve": { ...ofSkill, summary: "Make a suggested skill active", input: MoveSkill },
  "skills.archive": { ...ofSkill, summary: "Archive a skill", input: MoveSkill },
  "skills.restore": {
    ...ofSkill,
    summary: "Make an archived skill active again",
    input: MoveSkill,
  },
  "skills.publish": {
    ...ofSkill,
    summary: "Set who can use an active skill",
    input: PublishSkill,
  },
} as const satisfies Record<string, Endpoint>;
