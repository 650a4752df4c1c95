import type { PageEnd } from "@parley/core";
import { Counter, type Registry } from "prom-client";

/** Metrics of the pages of web sources. */
export interface WebMetrics {
  /** Counts a page. */
  ended(outcome: PageEnd["outcome"]): void;
}

/** Registers the metrics of web sources. */
export function createWebMetrics(registry: Registry): WebMetrics {
  const pages = new Counter({
    name: "parley_web_pages_total",
    help: "Pages of web sources that this worker asked for. outcome: read, unchanged, skipped (not to be read), gone, failed",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of ["read", "unchanged", "skipped", "gone", "failed"])
    pages.inc({ outcome }, 0);
  return { ended: (outcome) => pages.inc({ outcome }) };
}
