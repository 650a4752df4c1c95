import type { ErrorRow } from "./error-row.ts";

/** Rows about triggers, and about what is sent to their URLs. */
export const triggerRows = {
  trigger_not_found: {
    status: 404,
    cause: "The workspace has no such trigger, or it starts an agent that the caller may not edit.",
    cure: "Take the id from the list of triggers.",
  },
  trigger_event_not_found: {
    status: 404,
    cause: "The trigger has received no such event, or it was kept for its time.",
    cure: "Take the id from the list of the trigger's events.",
  },
  webhook_source_not_found: {
    status: 404,
    cause:
      "No trigger receives events at this URL: it was removed or switched off, or its events are signed and sent to another URL.",
    cure: "Send events to the URL that the trigger shows.",
  },
  webhook_source_auth_error: {
    status: 401,
    cause: "The secret in the URL, or the signature of the event, is not that of the trigger.",
    cure: "Compare the secret on both sides, or rotate it; a signed time must be within five minutes of now.",
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;
