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
  inputTokens: series("Input tokens of the turns and summaries, as counted by the model providers"),
  outputTokens: series("Output tokens"),
  cachedInputTokens: series("Input tokens that the providers read from their caches"),
  cacheWriteTokens: series("Input tokens that they wrote to their caches"),
  reasoningTokens: series("Output tokens of reasoning"),
  waitingRuns: series("Most runs that were queued for a worker or after an earlier turn"),
  oldestWaitingMs: series("Longest time that one of them had been queued, in milliseconds"),
  openStreams: series("Most open event streams"),
});
export type OverviewSeries = z.infer<typeof OverviewSeries>;

/** What happens now, and what happened in buckets of time. */
export const Overview = z.object({
  bucketMs: z.int().describe("Length of a bucket in milliseconds").meta({ example: 60_000 }),
  times: z
    .array(Milliseconds)
    .describe("When each bucket began, oldest first; the last one has not ended"),
  series: OverviewSeries.describe(
    "A number for each bucket. Queued runs and open streams are sampled once a minute",
  ),
  now: z
    .object({
      at: Milliseconds.describe("The server's time"),
      waitingRuns: z
        .int()
        .describe(
          "Runs queued for a worker or after an earlier turn; at most 10,000 of each kind are counted",
        )
        .meta({ example: 0 }),
      oldestWaitingMs: z
        .number()
        .nullable()
        .describe("How long the oldest of them has been queued; null if there are none")
        .meta({ example: null }),
      runningRuns: z.int().describe("Runs that workers are running").meta({ example: 1 }),
      openStreams: z.int().describe("Event streams that are open").meta({ example: 2 }),
    })
    .describe("What happens now"),
});
export type Overview = z.infer<typeof Overview>;
