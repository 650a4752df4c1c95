import * as z from "zod";

/** Settings of the worker, by the name of their environment variable. */
export const WorkerSettings = z.object({
  PARLEY_WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(200)
    .describe("Runs that a worker holds at once"),
  PARLEY_LEASE_MS: z.coerce
    .number()
    .int()
    .min(100)
    .max(600_000)
    .default(15_000)
    .describe("How long a silent worker keeps its runs, in milliseconds"),
  PARLEY_AUDIT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(365)
    .describe("How long the audit log is kept, in days"),
});
export type WorkerSettings = z.output<typeof WorkerSettings>;
