import { Counter, type Registry } from "prom-client";
import type { Sent } from "./send-spans.ts";

/** What is measured of exports of traces. */
export interface TraceMetrics {
  /** A request was sent. */
  sent(sent: Sent): void;
}

/** Registers the metrics of exports of traces. */
export function createTraceMetrics(registry: Registry): TraceMetrics {
  const requests = new Counter({
    name: "parley_trace_requests_total",
    help: "Requests that sent traces to their destinations, by outcome",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const spans = new Counter({
    name: "parley_trace_spans_total",
    help: "Spans that destinations of traces have accepted, or rejected for good",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of ["succeeded", "rejected", "failed"]) requests.inc({ outcome }, 0);
  for (const outcome of ["accepted", "rejected"]) spans.inc({ outcome }, 0);
  return {
    sent: ({ accepted, rejected, error, isRetryable }) => {
      requests.inc({ outcome: isRetryable ? "failed" : error === null ? "succeeded" : "rejected" });
      spans.inc({ outcome: "accepted" }, accepted);
      spans.inc({ outcome: "rejected" }, rejected);
    },
  };
}
