import * as z from "zod";
import { integer, modelSettings } from "./models/model-settings.ts";

/** Settings of the worker, by the name of their environment variable. */
export const WorkerSettings = z.object({
  PARLEY_WORKER_CONCURRENCY: integer(1, 10_000)
    .default(200)
    .describe("Agent turns, and as many invocations, that a worker holds at once"),
  PARLEY_WORKSPACE_CONCURRENCY: integer(1, 10_000)
    .default(100)
    .describe("Invocations of a workspace that run at once, on all workers together"),
  PARLEY_WORKSPACE_TURNS: integer(1, 10_000)
    .default(100)
    .describe("Agent turns of a workspace that a worker holds at once"),
  PARLEY_LEASE_MS: integer(100, 600_000)
    .default(6000)
    .describe("Lease of a run: how long a worker without contact keeps it, in milliseconds"),
  PARLEY_SIMULATION_TIME_SCALE: z.coerce
    .number()
    .min(0)
    .max(100)
    .default(1)
    .describe("Factor for the waits of simulated functions; 0 for none"),
  ...modelSettings,
  PARLEY_TOKEN_RETENTION_HOURS: integer(1, 1_000_000)
    .default(24)
    .describe("Retention of the single tokens of an answer after its end, in hours"),
  PARLEY_INVOCATION_LOG_RETENTION_DAYS: integer(1, 100_000)
    .default(7)
    .describe("Retention of the log and progress of an invocation after its end, in days"),
  PARLEY_AUDIT_RETENTION_DAYS: integer(1, 36_500)
    .default(365)
    .describe("Retention of the audit log, in days"),
});
export type WorkerSettings = z.output<typeof WorkerSettings>;
