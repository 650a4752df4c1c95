import type { DivisionEnd } from "@parley/core";
import { Counter, Histogram, type Registry } from "prom-client";

/** Metrics of the divisions of documents. */
export interface DivisionMetrics {
  /** Counts a document that was divided, or could not be. */
  ended(end: DivisionEnd): void;
}

const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Registers the metrics of divisions. */
export function createDivisionMetrics(registry: Registry): DivisionMetrics {
  const ends = new Counter({
    name: "parley_documents_divided_total",
    help: "Documents of data sources that this worker divided into parts. outcome: divided, or failed",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "parley_document_division_seconds",
    help: "Duration of the division of a document, until its parts are written",
    buckets: BUCKETS,
    registers: [registry],
  });
  for (const outcome of ["divided", "failed"]) ends.inc({ outcome }, 0);
  return {
    ended: ({ outcome, durationMs }) => {
      ends.inc({ outcome });
      duration.observe(durationMs / 1000);
    },
  };
}
