import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Measures, ReadMeasures, ReadServerMeasures } from "./measures.ts";

/** Operations that show what happened over time. */
export const measureEndpoints = {
  "measures.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/measures`,
      input: ReadMeasures,
    }),
    summary: "Read answers, errors, latencies, tokens and cost of a workspace over time",
    output: Measures,
  },
  "measures.getServer": {
    ...administer({
      role: "operator",
      method: "GET",
      path: "/api/admin/measures",
      input: ReadServerMeasures,
    }),
    summary: "Read answers, errors, latencies, tokens and cost of the server over time",
    errors: [],
    output: Measures,
  },
} as const satisfies Record<string, Endpoint>;
