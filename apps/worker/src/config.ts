import * as z from "zod";
import { modelSettings } from "./model-settings.ts";

/** Settings of the worker, by the name of their environment variable. */
export const WorkerSettings = z.object({
  PARLEY_WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe("Agent turns, and as many invocations, that a worker holds at once"),
  PARLEY_WORKSPACE_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe("Invocations of a workspace that run at once, on all workers together"),
  PARLEY_WORKSPACE_TURNS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe("Agent turns of a workspace that a worker holds at once"),
  PARLEY_LEASE_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(600_000)
    .default(6000)
    .describe("How long a silent worker keeps its runs, in milliseconds"),
  PARLEY_SIMULATION_TIME_SCALE: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(1)
    .describe("What the waits of simulated functions are multiplied with; 0 for none"),
  ...modelSettings,
  PARLEY_TOKEN_RETENTION_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(24)
    .describe("How long the single tokens of an answer are kept once it has ended, in hours"),
  PARLEY_INVOCATION_LOG_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(7)
    .describe("How long log and progress of an invocation are kept once it has ended, in days"),
  PARLEY_AUDIT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(365)
    .describe("How long the audit log is kept, in days"),
});
export type WorkerSettings = z.output<typeof WorkerSettings>;
