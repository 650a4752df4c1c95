import * as z from "zod";

/** Limits of an invocation; they hold for every executor. */
export const InvocationLimits = z.object({
  timeoutMs: z
    .int()
    .min(100)
    .max(600_000)
    .default(60_000)
    .describe("Timeout of an invocation in milliseconds"),
  maxOutputBytes: z
    .int()
    .min(1024)
    .max(1_048_576)
    .default(262_144)
    .describe("Maximum size of a result as JSON, in bytes"),
  maxLogLines: z
    .int()
    .min(0)
    .max(10_000)
    .default(1000)
    .describe("Maximum lines that an invocation may print; further lines are counted and dropped"),
});
export type InvocationLimits = z.output<typeof InvocationLimits>;
