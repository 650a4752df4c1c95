import type { ErrorRow } from "./error-row.ts";

/** Rows about what a workspace is watched with. */
export const observationRows = {
  alert_not_found: {
    status: 404,
    cause: "The workspace has no such alert.",
    cure: "Take the id from the list of alerts.",
  },
  saved_view_not_found: {
    status: 404,
    cause: "The caller sees no such saved view.",
    cure: "Take the id from the list of saved views.",
  },
  trace_destination_not_found: {
    status: 404,
    cause: "The workspace has no such trace destination.",
    cure: "Take the id from the list of trace destinations.",
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
