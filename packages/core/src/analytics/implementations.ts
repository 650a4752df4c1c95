import type { Implementations } from "../implementation.ts";
import { exportAnalytics } from "./export-analytics.ts";
import { exportConsumption } from "./export-consumption.ts";

/** The endpoints that are implemented here. */
export const analyticsImplementations = {
  "analytics.export": exportAnalytics,
  "analytics.exportConsumption": exportConsumption,
} satisfies Implementations;
