import type { ErrorRow } from "./error-row.ts";

/** Rows about what a workspace is watched with, what its agents remember, and what its data sources are filled from. */
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
  web_source_not_found: {
    status: 404,
    cause: "The caller reaches no such web source.",
    cure: "Take the id from the list of web sources.",
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
