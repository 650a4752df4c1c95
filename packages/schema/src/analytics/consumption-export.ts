import * as z from "zod";
import { post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { optional, ShortText } from "../parsing/text.ts";

/** Days of an export at most. */
export const MAX_CONSUMPTION_DAYS = 30;

const anyOf = (what: string) => optional(z.array(ShortText).max(100)).describe(what);

/** Body of an export of every call of a model. */
export const ExportConsumption = z.object({
  startDate: z.iso
    .date()
    .describe("First day in UTC, as YYYY-MM-DD")
    .meta({ example: "2026-05-01" }),
  endDate: z.iso
    .date()
    .describe(`Last day, as YYYY-MM-DD; at most ${MAX_CONSUMPTION_DAYS} days`)
    .meta({ example: "2026-05-30" }),
  format: optional(z.enum(["csv", "ndjson"]))
    .transform((format) => format ?? "csv")
    .describe("A table, or a line of JSON for each call; csv by default")
    .meta({ example: "csv" }),
  filter: optional(
    z.object({
      agents: anyOf("Only these agents, by id"),
      users: anyOf("Only these users, by id or e-mail address"),
      api_keys: anyOf("Only what these keys are billed for, by id or name"),
      groups: anyOf("Only members of these groups: there are no groups, so nothing"),
      models: anyOf("Only these models, by id or as provider/model"),
      tools: anyOf("Only answers that called one of these tools"),
      skills: anyOf("Only answers that used one of these skills"),
      sources: anyOf("Only answers that used one of these data sources"),
      tags: anyOf("Only answers of agents with one of these tags"),
    }),
  )
    .describe("What to export: that which fulfils each of these; everything by default")
    .meta({ example: { agents: ["helper"] } }),
});
export type ExportConsumption = z.output<typeof ExportConsumption>;

/** The export of every call of a model. */
export const consumptionEndpoints = {
  "analytics.exportConsumption": {
    ...post,
    kind: "download",
    summary: "Export every call of a model with what it cost, as CSV or lines of JSON",
    role: "admin",
    scope: null,
    rateLimit: "operate",
    tags: ["workspace"],
    path: "/api/v1/w/{wId}/analytics/consumption/export",
    params: WorkspaceParams,
    body: ExportConsumption,
  },
} as const satisfies Record<string, Endpoint>;
