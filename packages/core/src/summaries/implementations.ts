import type { Implementations } from "../implementation.ts";
import { createSummary, replaySummary } from "./create-summary.ts";
import { listSummaries, updateSummary } from "./summaries.ts";

/** The endpoints that are implemented here. */
export const summaryImplementations = {
  "summaries.create": { make: createSummary, replay: replaySummary },
  "summaries.list": listSummaries,
  "summaries.update": updateSummary,
} satisfies Implementations;
