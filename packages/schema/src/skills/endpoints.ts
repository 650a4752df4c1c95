import * as z from "zod";
import { administer, administered, get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { ImportReport, ImportSkills, MAX_SKILL_BYTES, MAX_SKILL_FILES } from "./skill-imports.ts";
import {
  AdministeredSkill,
  CreateSkill,
  ListSkillVersions,
  MoveSkill,
  PublishSkill,
  SkillIdentity,
  SkillVersionPage,
  UpdateSkill,
} from "./skill-versions.ts";
import { ListSkills, ReadSkill, Skill, SkillList } from "./skills.ts";

const list = { path: "/api/v1/w/{wId}/skills", params: WorkspaceParams, tags: ["skills"] } as const;
const skill = `${administered}/skills/{skillId}` as const;
const ofSkill = {
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
    response: "cacheable",
    specified: true,
  },
  "skills.read": {
    ...get,
    ...list,
    scope: "skills:read",
    summary: "Read a skill",
    path: `${list.path}/{skillId}`,
    params: SkillIdentity,
    query: ReadSkill,
    output: z.object({ skill: Skill.describe("The skill") }),
    errors: ["skill_not_found"],
  },
  "skills.delete": {
    ...get,
    ...list,
    scope: null,
    summary: "Archive a skill, whatever its version",
    method: "DELETE",
    role: "builder",
    path: `${list.path}/{skillId}`,
    params: SkillIdentity,
    subject: ["skillId"],
    output: Success,
    errors: ["skill_not_found"],
  },
  "skills.export": {
    ...get,
    ...list,
    kind: "download",
    scope: null,
    summary: "Export a skill as a zip archive of its Agent Skills folder, which can be imported",
    role: "builder",
    path: `${list.path}/{skillId}/export/zip`,
    params: SkillIdentity,
    errors: ["skill_not_found"],
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
    errors: ["skill_already_exists", "skill_not_found", "version_conflict"],
    maxFiles: MAX_SKILL_FILES,
    maxBytes: MAX_SKILL_BYTES,
  },
  "skills.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: skill,
      input: SkillIdentity,
    }),
    summary: "Read a skill with its version and its editors",
    output: AdministeredSkill,
    errors: ["workspace_not_found", "skill_not_found"],
  },
  "skills.listVersions": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${skill}/versions`,
      input: ListSkillVersions,
    }),
    summary: "List the versions of a skill with their content, newest first",
    output: SkillVersionPage,
    errors: ["workspace_not_found", "skill_not_found"],
  },
  "skills.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/skills`,
      input: CreateSkill,
    }),
    ...ofSkill,
    summary: "Create a skill",
    subject: [],
    errors: ["workspace_not_found", ...referenceErrors],
  },
  "skills.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: skill,
      input: UpdateSkill,
    }),
    ...ofSkill,
    summary: "Change a skill, its spaces, editors, files and tools",
    errors: [...ofSkill.errors, ...referenceErrors],
  },
  "skills.approve": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${skill}/approve`,
      input: MoveSkill,
    }),
    ...ofSkill,
    storesLittle: true,
    summary: "Make a suggested skill active",
  },
  "skills.archive": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${skill}/archive`,
      input: MoveSkill,
    }),
    ...ofSkill,
    storesLittle: true,
    summary: "Archive a skill",
  },
  "skills.restore": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${skill}/restore`,
      input: MoveSkill,
    }),
    ...ofSkill,
    storesLittle: true,
    summary: "Restore an archived skill",
  },
  "skills.publish": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${skill}/publish`,
      input: PublishSkill,
    }),
    ...ofSkill,
    storesLittle: true,
    summary: "Set who can use an active skill",
  },
} as const satisfies Record<string, Endpoint>;
