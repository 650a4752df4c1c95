import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { OwnUsage, ReadServerUsage, ReadUsage, Usage } from "./usage.ts";

/** Operations that show what calls of models cost. */
export const usageEndpoints = {
  "usage.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/model-usage`,
      input: ReadUsage,
    }),
    summary:
      "Read what calls of models cost, by day or hour, and by agent, model, key, user or purpose",
    output: Usage,
  },
  "usage.getServer": {
    ...administer({
      role: "operator",
      method: "GET",
      path: "/api/admin/model-usage",
      input: ReadServerUsage,
    }),
    summary: "Read what calls of models of all workspaces cost, by day or hour",
    errors: [],
    output: Usage,
  },
  "usage.own": {
    ...get,
    summary: "Read what the caller's own user has used this month, by day",
    scope: "conversations:read",
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/usage/own",
    params: WorkspaceParams,
    output: OwnUsage,
  },
} as const satisfies Record<string, Endpoint>;
