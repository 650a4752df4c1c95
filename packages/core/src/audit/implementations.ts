import type { Implementations } from "../implementation.ts";
import { listAuditEvents } from "./audit-events.ts";

/** The endpoints that are implemented here. */
export const auditImplementations = {
  "audit.list": listAuditEvents,
} satisfies Implementations;
