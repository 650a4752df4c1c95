import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { ExportAnalytics } from "../workspaces/analytics.ts";
import { get } from "./defaults.ts";

/** Operations on the use of a workspace. */
export const analyticsEndpoints = {
  "analytics.export": {
    ...get,
    kind: "download",
    summary: "Export the use of the workspace, as CSV or JSON",
    role: "admin",
    scope: null,
    rateLimit: "operate",
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/analytics/export",
    params: WorkspaceParams,
    query: ExportAnalytics,
  },
} as const satisfies Record<string, Endpoint>;
