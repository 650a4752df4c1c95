import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { listFromQuery, Milliseconds, optional } from "../parsing/text.ts";
import { OwnBudgets } from "./own-budgets.ts";
import { TokenCounts } from "./token-counts.ts";
import { RequestedTimezone, Timezone } from "../parsing/timezones.ts";

/** What a call of a model was made for. */
export const UsageOrigin = z.enum([
  "answer",
  "repair",
  "fallback",
  "title",
  "summary",
  "embedding",
  "search",
]);
export type UsageOrigin = z.infer<typeof UsageOrigin>;

/** What usage is divided by. */
export const UsageDimension = z.enum(["none", "agent", "model", "key", "user", "origin"]);
export type UsageDimension = z.infer<typeof UsageDimension>;

/** What the server's usage is divided by. */
export const ServerUsageDimension = z.enum(["none", "workspace", "model", "origin"]);
export type ServerUsageDimension = z.infer<typeof ServerUsageDimension>;

export const UsageBucket = z.enum(["day", "hour"]);
export type UsageBucket = z.infer<typeof UsageBucket>;

/** A date as text. */
const day = z.iso.date();

/** Days of a range at most. */
export const MAX_USAGE_DAYS = 366;
/** Days of a range by hour at most. */
export const MAX_HOURLY_USAGE_DAYS = 7;

const range = {
  startDate: day.describe("First day, as YYYY-MM-DD").meta({ example: "2026-05-01" }),
  endDate: day
    .describe(
      `Last day, as YYYY-MM-DD; at most ${MAX_USAGE_DAYS} days, ${MAX_HOURLY_USAGE_DAYS} by hour`,
    )
    .meta({ example: "2026-05-31" }),
  timezone: optional(RequestedTimezone)
    .transform((timezone) => timezone ?? "UTC")
    .describe(
      "IANA time zone of the days; UTC by default, and for zones that are not whole hours from it. Days that are " +
        "over for more than 35 days are counted in UTC",
    )
    .meta({ example: "Europe/London" }),
  groupBy: optional(UsageBucket)
    .transform((bucket): UsageBucket => bucket ?? "day")
    .describe("Whether rows are of days, the default, or of hours, of the last 35 days"),
};

const filters = {
  models: listFromQuery(",")
    .describe("Only these models, as provider/model")
    .meta({ example: ["openai/gpt-5"] }),
  origins: optional(
    z.preprocess(
      (value: UsageOrigin | readonly UsageOrigin[]) =>
        typeof value === "string" ? value.split(",") : value,
      z.array(UsageOrigin).max(16),
    ),
  )
    .describe("Only calls that were made for one of these")
    .meta({ example: ["answer"] }),
};

/** Which usage of a workspace to read. */
export const ReadUsage = WorkspaceParams.extend({
  ...range,
  by: optional(UsageDimension)
    .transform((by): UsageDimension => by ?? "none")
    .describe("What rows are divided by besides: the 20 that cost most, and the others in one"),
  agents: listFromQuery(",").describe("Only these agents, by id"),
  ...filters,
  keys: listFromQuery(",").describe("Only what these keys are billed for, by id"),
  users: listFromQuery(",").describe("Only these users, by id"),
});
export type ReadUsage = z.output<typeof ReadUsage>;

/** Which usage of the server to read. */
export const ReadServerUsage = z.object({
  ...range,
  by: optional(ServerUsageDimension)
    .transform((by): ServerUsageDimension => by ?? "workspace")
    .describe("What rows are divided by besides: the 20 that cost most, and the others in one"),
  workspaces: listFromQuery(",").describe("Only these workspaces, by id"),
  ...filters,
});
export type ReadServerUsage = z.output<typeof ReadServerUsage>;

const decimal = z.string().meta({ example: "12.5" });

/** What calls of models took and cost, in one currency. */
export const UsageFigures = z.object({
  currency: z.string().describe("ISO 4217 code of the amounts").meta({ example: "USD" }),
  calls: z.int().describe("Calls of models").meta({ example: 12 }),
  unpricedCalls: z
    .int()
    .describe("Calls that are not in the amount, as their models had no price")
    .meta({ example: 0 }),
  ...TokenCounts.shape,
  amount: decimal.describe("What they cost, as a decimal number"),
  estimatedAmount: decimal
    .describe(
      "The part of the amount of calls whose service never said what it counted: the most that they may have cost",
    )
    .meta({ example: "0" }),
});
export type UsageFigures = z.infer<typeof UsageFigures>;

const subject = {
  id: z
    .string()
    .nullable()
    .describe(
      "What the row is of: the id of an agent, a key, a user or a workspace, provider/model, or what the calls were " +
        "made for; null without one, and for all others",
    )
    .meta({ example: "helper" }),
  name: z
    .string()
    .nullable()
    .describe("Its name, if it has one still; of a removed user, `Removed user`")
    .meta({ example: "Helper" }),
  isOthers: z.boolean().describe("Whether it is of all that are not among the 20"),
};

/** What a subject, or all, used in the range and in as many days before it. */
const compared = {
  ...UsageFigures.shape,
  before: UsageFigures.omit({ currency: true }).describe(
    "The same of as many days before the first",
  ),
};

/** Usage of a range of days. */
export const Usage = z.object({
  timezone: Timezone.describe("Time zone that the days are of"),
  rows: z
    .array(
      z.object({
        date: z.string().describe("The day").meta({ example: "2026-05-01" }),
        startsAt: Milliseconds.describe("When the day, or the hour, began"),
        ...subject,
        ...UsageFigures.shape,
      }),
    )
    .describe("Of each day or hour in which there was any, oldest first"),
  groups: z
    .array(z.object({ ...subject, ...compared }))
    .describe("Of the whole range: of each that rows are divided by, those that cost most first"),
  totals: z
    .array(z.object(compared))
    .describe("Of all: one, or none if there was nothing; more after the currency was changed"),
});
export type Usage = z.infer<typeof Usage>;

/** What a user has used in the current month. */
export const OwnUsage = z.object({
  startsAt: Milliseconds.describe("When the month began, in UTC"),
  endsAt: Milliseconds.describe("When it ends"),
  days: z
    .array(
      z.object({
        date: z.string().describe("The day, in UTC").meta({ example: "2026-05-01" }),
        ...UsageFigures.shape,
      }),
    )
    .describe("Of each day on which there was any"),
  totals: z.array(UsageFigures).describe("Of the month: one for each currency, none without any"),
  ...OwnBudgets.shape,
});
export type OwnUsage = z.infer<typeof OwnUsage>;
