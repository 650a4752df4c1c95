import type { Endpoint } from "../endpoint.ts";
import { AuditPage, ListAuditEvents } from "../workspaces/audit.ts";
import { administer } from "./defaults.ts";

/** Operations on the audit log. */
export const auditEndpoints = {
  "audit.list": {
    ...administer({
      role: "admin",
      method: "GET",
      path: "/api/admin/audit-events",
      input: ListAuditEvents,
    }),
    summary: "List the audit log, the newest first",
    output: AuditPage,
  },
} as const satisfies Record<string, Endpoint>;
