import { Counter, type Registry } from "prom-client";

/** How the record of a request ended. */
export type RecordOutcome = "recorded" | "not_kept" | "overflow" | "failed";

/** Metrics of recorded requests. */
export interface RequestMetrics {
  ended(outcome: RecordOutcome, count?: number): void;
}

/** Registers the metrics of recorded requests. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const ends = new Counter({
    name: "parley_requests_recorded_total",
    help:
      "Requests to services of models that this worker was to record. outcome: recorded, not_kept (the workspace is full " +
      "or records none, the conversation is gone, or a later attempt has recorded the step), overflow (too many waited), " +
      "failed",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return { ended: (outcome, count = 1) => ends.inc({ outcome }, count) };
}
