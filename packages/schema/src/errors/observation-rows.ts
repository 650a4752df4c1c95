import type { ErrorRow } from "./error-row.ts";

/** Rows about what a workspace is watched with, and what its agents remember. */
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
  memory_not_found: {
    status: 404,
    cause: "The caller reaches no such file of a memory.",
    cure: "Take the id from the list of memories.",
  },
  memory_proposal_not_found: {
    status: 404,
    cause: "The caller reaches no such change of a memory, or it was decided.",
    cure: "Take the id from the list of changes that wait.",
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
