import type { Endpoint } from "../endpoint.ts";
import { AuditPage, ListAuditEvents } from "../workspaces/audit.ts";
import { adminQuery } from "./defaults.ts";

/** Operations on the audit log. */
export const auditEndpoints = {
  "audit.list": {
    ...adminQuery,
    summary: "List the audit log, the newest first",
    input: ListAuditEvents,
    output: AuditPage,
  },
} as const satisfies Record<string, Endpoint>;
