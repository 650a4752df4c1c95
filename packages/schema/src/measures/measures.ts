import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, Milliseconds, optional, Reference } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";
import { TokenCounts } from "../usage/token-counts.ts";

/** What measures are divided by, one at a time. */
export const MeasureDimension = z.enum(["agent", "model", "tool", "key", "user"]);
export type MeasureDimension = z.infer<typeof MeasureDimension>;

/** Values of a dimension that have sums of their own in each period; the others are together. */
export const MAX_MEASURED_VALUES = 200;
/** How long sums are kept: those of minutes, and those of hours and days. */
export const MINUTES_KEPT_DAYS = 7;
export const HOURS_KEPT_DAYS_OF_MEASURES = 400;
/** The longest range that can be read; the one before it is read too. */
export const MAX_MEASURED_DAYS = 400;

const range = {
  from: optional(TimeFromQuery)
    .describe("Begin of the range; an hour before its end by default")
    .meta({ example: 1_780_000_000_000 }),
  to: optional(TimeFromQuery)
    .describe(`End of the range, at most ${MAX_MEASURED_DAYS} days later; now by default`)
    .meta({ example: 1_780_003_600_000 }),
  dimension: MeasureDimension.default("agent").describe(
    "What `top` is divided by: `agent` by default",
  ),
  value: optional(Reference)
    .describe("Only what is of this agent, model (`provider/model`), tool, key or user")
    .meta({ example: "helper" }),
  limit: fromQuery(z.int().min(1).max(MAX_MEASURED_VALUES))
    .default(20)
    .describe("How many of the largest `top` has at most; 20 by default"),
};

/** Which measures of the server to read. */
export const ReadServerMeasures = z.object({
  ...range,
  dimension: z
    .enum(["workspace", "model"])
    .default("workspace")
    .describe("What `top` is divided by: `workspace` by default"),
  value: optional(Reference)
    .describe("Only what is of this workspace or model (`provider/model`)")
    .meta({ example: "DemoWork01" }),
});
export type ReadServerMeasures = z.output<typeof ReadServerMeasures>;

/** Which measures of a workspace to read. */
export const ReadMeasures = WorkspaceParams.extend(range);
export type ReadMeasures = z.output<typeof ReadMeasures>;

const count = (what: string, example = 0) => z.number().describe(what).meta({ example });

const Latency = z.object({
  count: count("How many were measured", 12),
  p50: count("Half of them took at most so many milliseconds", 640),
  p95: count("95 % of them", 2100),
  p99: count("99 % of them", 3900),
});

/** What happened in a period. */
export const MeasureFigures = z.object({
  answers: count("Answers that ended, failed and cancelled ones included", 12),
  errored: count("Answers that failed"),
  cancelled: count("Answers that were cancelled"),
  toolCalls: count("Calls of tools, when their answer ended", 3),
  toolCallsErrored: count("Calls of tools that failed"),
  modelCalls: count("Calls of models that were billed", 15),
  ...TokenCounts.shape,
  amounts: z
    .array(
      z.object({
        currency: z.string().describe("ISO 4217 code").meta({ example: "USD" }),
        amount: z.string().describe("Decimal number").meta({ example: "0.42" }),
      }),
    )
    .describe("What the calls of models cost, by currency"),
  firstToken: Latency.nullable().describe(
    "Time from the creation of an answer to the first token of its model, in milliseconds, off by at most 5 %; null without any",
  ),
  whole: Latency.nullable().describe(
    "Time from the creation of a successful answer to its end, waiting for people included; of a tool, how long calls took",
  ),
});
export type MeasureFigures = z.infer<typeof MeasureFigures>;

/** What happened over time, and by a dimension. */
export const Measures = z.object({
  from: Milliseconds.describe("Begin of the range, at the begin of a step"),
  to: Milliseconds.describe("End of the range"),
  stepMs: z
    .int()
    .describe("Length of a step: a minute up to 3 hours, an hour up to 7 days, else a day in UTC")
    .meta({ example: 60_000 }),
  points: z
    .array(MeasureFigures.extend({ startsAt: Milliseconds.describe("When the step began") }))
    .describe("Each step of the range, oldest first"),
  totals: MeasureFigures.describe("Of the whole range"),
  before: MeasureFigures.describe("Of a range as long, just before it"),
  top: z
    .array(
      MeasureFigures.extend({
        id: z
          .string()
          .nullable()
          .describe("Id of the agent, tool, key or user, or `provider/model`; null for all others")
          .meta({ example: "helper" }),
        name: z.string().nullable().describe("Its name, if it has one still"),
      }),
    )
    .describe("The largest of the dimension, those with most answers or calls first, then others"),
  writtenUntil: Milliseconds.nullable().describe(
    "Until when what ended is in the sums, to some seconds; null before the first",
  ),
});
export type Measures = z.infer<typeof Measures>;
