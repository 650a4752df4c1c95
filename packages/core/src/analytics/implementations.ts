import type { Implementations } from "../implementation.ts";
import { exportAnalytics } from "./export-analytics.ts";

/** The endpoints that are implemented here. */
export const analyticsImplementations = {
  "analytics.export": exportAnalytics,
} satisfies Implementations;
