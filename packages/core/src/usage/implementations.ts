import type { Implementations } from "../implementation.ts";
import { getOwnUsage } from "./own-usage.ts";
import { getServerUsage, getUsage } from "./read-usage.ts";

/** The endpoints that are implemented here. */
export const usageImplementations = {
  "usage.get": getUsage,
  "usage.getServer": getServerUsage,
  "usage.own": getOwnUsage,
} satisfies Implementations;
