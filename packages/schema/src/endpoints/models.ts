import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { ModelList, UsableModels } from "../workspaces/models.ts";
import { administer, administered, get } from "./defaults.ts";

/** Operations on models. */
export const modelEndpoints = {
  "models.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/models`,
      input: WorkspaceParams,
    }),
    summary: "List the models that the server knows",
    output: ModelList,
  },
  "models.listUsable": {
    ...get,
    summary: "List the models that the workspace may use",
    role: "admin",
    scope: null,
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/models",
    params: WorkspaceParams,
    output: UsableModels,
  },
} as const satisfies Record<string, Endpoint>;
