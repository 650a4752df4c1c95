import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { ImportReport, ImportSkills, MAX_SKILL_BYTES, MAX_SKILL_FILES } from "../skill-imports.ts";
import { ListSkills, SkillList } from "../skills.ts";

/** Operations on skills. */
export const skillEndpoints = {
  "skills.list": {
    kind: "json",
    summary: "List the skills of the workspace",
    method: "GET",
    path: "/api/v1/w/{wId}/skills",
    params: WorkspaceParams,
    query: ListSkills,
    output: SkillList,
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
} as const satisfies Record<string, Endpoint>;
