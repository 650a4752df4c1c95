import * as z from "zod";
import { administer } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds, optional, Reference } from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";

/** One entry of the audit log: an audited mutation, or refused credentials. */
export const AuditEvent = z.object({
  id: z.int().describe("Number of the entry; the newest has the greatest"),
  at: Milliseconds.describe("When it happened"),
  workspaceId: z.string().nullable().describe("Id of the workspace; null for the server itself"),
  actor: z
    .object({
      id: z
        .string()
        .describe("Id of the key, or of the user of a token; `cli` for the command line"),
      name: z.string().describe("Name of the key or user"),
    })
    .nullable()
    .describe("Author of the change; null for a refused credential"),
  action: z.string().describe("The operation, or `credentials.refused`"),
  subjectId: z
    .string()
    .nullable()
    .describe("Id of its subject; for a refused credential the key, if it is known"),
  route: z.string().nullable().describe("Route that was called with a refused credential"),
  clientIp: z
    .string()
    .nullable()
    .describe("Client IP; null for the command line, and for entries that stand for several"),
  requestId: z.string().nullable().describe("Id of the request in the server's log"),
  outcome: z.string().describe("`succeeded`, or the type of the error"),
  count: z.int().describe("How many refused credentials it stands for; 1 for a mutation"),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

/** Which entries to list. */
export const ListAuditEvents = z.object({
  wId: optional(Reference).describe("Id of the workspace; operators may omit it"),
  action: optional(Reference).describe("Only this operation, or `credentials.refused`"),
  actor: optional(Reference).describe("Only changes by this key or user, or by `cli`"),
  outcome: optional(Reference).describe("Only this outcome: `succeeded` or the type of an error"),
  since: optional(TimeFromQuery).describe("Only entries at or after this time"),
  until: optional(TimeFromQuery).describe("Only entries before this time"),
  ...pageByNumber("Entries", 50),
});
export type ListAuditEvents = z.output<typeof ListAuditEvents>;

/** One page of the audit log. */
export const AuditPage = z.object({
  auditEvents: z.array(AuditEvent).describe("Entries, newest first"),
  ...pageEnd,
});
export type AuditPage = z.infer<typeof AuditPage>;

/** Operations on the audit log. */
export const auditEndpoints = {
  "audit.list": {
    ...administer({
      role: "admin",
      method: "GET",
      path: "/api/admin/audit-events",
      input: ListAuditEvents,
    }),
    summary: "List the audit log, newest first",
    output: AuditPage,
  },
} as const satisfies Record<string, Endpoint>;
