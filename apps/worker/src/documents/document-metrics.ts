import type { DocumentFailure, DocumentKind } from "@parley/schema";
import { Counter, Histogram, type Registry } from "prom-client";

/** Metrics of the documents whose text a worker extracts. */
export interface DocumentMetrics {
  /** Counts an extraction. */
  ended(kind: DocumentKind, outcome: DocumentFailure | "text", durationMs: number): void;
}

const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Registers the metrics of documents. */
export function createDocumentMetrics(registry: Registry): DocumentMetrics {
  const ends = new Counter({
    name: "parley_documents_extracted_total",
    help: "Documents whose text this worker extracted for models. outcome: text, or why there is none",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "parley_document_extraction_seconds",
    help: "Duration of the extraction of the text of a document, with its wait for a place",
    labelNames: ["kind"],
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    ended: (kind, outcome, durationMs) => {
      ends.inc({ kind, outcome });
      duration.observe({ kind }, durationMs / 1000);
    },
  };
}
