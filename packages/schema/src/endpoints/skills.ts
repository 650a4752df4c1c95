import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
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
} as const satisfies Record<string, Endpoint>;
