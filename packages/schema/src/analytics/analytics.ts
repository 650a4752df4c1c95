import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { optional } from "../parsing/text.ts";
import { RequestedTimezone } from "../parsing/timezones.ts";

export const AnalyticsTable = z.enum([
  "usage_metrics",
  "active_users",
  "agents",
  "users",
  "models",
  "tool_usage",
  "feedback",
]);
export type AnalyticsTable = z.infer<typeof AnalyticsTable>;

/** Query of an export. */
export const ExportAnalytics = z.object({
  table: AnalyticsTable.describe(
    "What to export: usage and active users by day; agents, users, models and tools with their " +
      "use; or feedback",
  ),
  startDate: z.iso.date().describe("First day, as YYYY-MM-DD").meta({ example: "2026-05-01" }),
  endDate: z.iso
    .date()
    .describe("Last day, as YYYY-MM-DD, at most 365 days later")
    .meta({ example: "2026-05-31" }),
  timezone: optional(RequestedTimezone)
    .describe("IANA time zone of the days; UTC by default")
    .meta({ example: "Europe/London" }),
  format: optional(z.enum(["csv", "json"]))
    .transform((format) => format ?? "csv")
    .describe("Format of the file; csv by default")
    .meta({ example: "csv" }),
});
export type ExportAnalytics = z.output<typeof ExportAnalytics>;

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
