import type { Implementations } from "../implementation.ts";
import { getMeasures, getServerMeasures } from "./read-measures.ts";

/** The endpoints that are implemented here. */
export const measureImplementations = {
  "measures.get": getMeasures,
  "measures.getServer": getServerMeasures,
} satisfies Implementations;
