import type { Implementations } from "../implementation.ts";
import { listSummaries, updateSummary } from "./summaries.ts";

/** The endpoints that are implemented here. */
export const summaryImplementations = {
  "summaries.list": listSummaries,
  "summaries.update": updateSummary,
} satisfies Implementations;
