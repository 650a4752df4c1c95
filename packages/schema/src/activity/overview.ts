import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { Milliseconds, optional } from "../parsing/text.ts";

export const OverviewWindow = z.enum(["hour", "day"]);
export type OverviewWindow = z.infer<typeof OverviewWindow>;

/** Which overview of the server to read. */
export const ReadServerOverview = z.object({
  window: optional(OverviewWindow)
    .transform((window): OverviewWindow => window ?? "hour")
    .describe(
      "`hour` for 60 buckets of a minute, the default; `day` for 96 buckets of a quarter of an hour",
    ),
});

/** Which overview of a workspace to read. */
export const ReadOverview = WorkspaceParams.extend(ReadServerOverview.shape);

const series = (what: string) =>
  z
    .array(z.number())
    .describe(what)
    .meta({ example: [0, 3] });

export const OverviewSeries = z.object({
  conversations: series("Conversations that were created"),
  turns: series("Agent turns that ended, cancelled ones included"),
  turnsErrored: series("Agent turns that failed"),
  invocations: series("Invocations of functions, and calls of tools, that ended"),
  invocationsErrored: series("Invocations and calls that failed"),
  inputTokens: series("Tokens that the turns gave to models, as their providers counted them"),
  outputTokens: series("Tokens that models gave"),
  waitingRuns: series("The most runs that waited for a worker, or for an earlier turn"),
  oldestWaitingMs: series("The longest that one of them had waited, in milliseconds"),
  openStreams: series("The most event streams that were open"),
});
export type OverviewSeries = z.infer<typeof OverviewSeries>;

/** What happens now, and what happened in buckets of time. */
export const Overview = z.object({
  bucketMs: z.int().describe("Length of a bucket in milliseconds").meta({ example: 60_000 }),
  times: z
    .array(Milliseconds)
    .describe("When each bucket began, the oldest first; the last has not ended"),
  series: OverviewSeries.describe(
    "A number for each bucket. What waited and was open is what was found once a minute",
  ),
  now: z
    .object({
      at: Milliseconds.describe("The time by the clock of the server"),
      waitingRuns: z
        .int()
        .describe(
          "Runs that wait for a worker, or for an earlier turn; at most 10,000 of each kind are counted",
        )
        .meta({ example: 0 }),
      oldestWaitingMs: z
        .number()
        .nullable()
        .describe("How long the oldest of them has waited; null where none waits")
        .meta({ example: null }),
      runningRuns: z.int().describe("Runs that workers hold").meta({ example: 1 }),
      openStreams: z.int().describe("Event streams that are open").meta({ example: 2 }),
    })
    .describe("What happens now"),
});
export type Overview = z.infer<typeof Overview>;
