import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { ModelList } from "../workspaces/models.ts";
import { administer, administered } from "./defaults.ts";

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
} as const satisfies Record<string, Endpoint>;
