import * as z from "zod";
import { Milliseconds, optional, Reference } from "./text.ts";

/** One entry of the audit log: an administrative act, or a credential that was refused. */
export const AuditEvent = z.object({
  id: z.int().describe("Number of the entry; the newest has the greatest"),
  at: Milliseconds.describe("When it happened"),
  workspaceId: z.string().nullable().describe("Id of the workspace; null for what is the server's"),
  actor: z
    .object({
      id: z.string().describe("Id of the key; `cli` for the command line"),
      name: z.string().describe("Name of the key"),
    })
    .nullable()
    .describe("Who acted; null for a refused credential"),
  action: z.string().describe("The operation, or `credentials.refused`"),
  subjectId: z
    .string()
    .nullable()
    .describe("What it was done to; for a refused credential the key, where it is known"),
  route: z.string().nullable().describe("What was asked with a refused credential"),
  address: z
    .string()
    .nullable()
    .describe("Where it came from; null for the command line, and where too many were to be told"),
  requestId: z.string().nullable().describe("Id of the request in the server's log"),
  outcome: z.string().describe("`succeeded`, or the type of the error"),
  count: z.int().describe("How many refused credentials it stands for; 1 for an act"),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

/** Which entries to list. */
export const ListAuditEvents = z.object({
  workspaceId: optional(Reference).describe("Id of the workspace; operators may leave it out"),
  action: optional(Reference).describe("Only this operation, or `credentials.refused`"),
  actor: optional(Reference).describe("Only what this key did, or `cli`"),
  outcome: optional(Reference).describe("Only what came to this: `succeeded` or an error's type"),
  since: optional(Milliseconds).describe("Only what happened then or later"),
  until: optional(Milliseconds).describe("Only what happened before then"),
  cursor: optional(z.int().min(1)).describe("The page after the one that answered this nextCursor"),
  limit: optional(z.int().min(1).max(100))
    .transform((limit) => limit ?? 50)
    .describe("Entries of a page, 1 to 100; 50 by default"),
});
export type ListAuditEvents = z.output<typeof ListAuditEvents>;

/** One page of the audit log. */
export const AuditPage = z.object({
  auditEvents: z.array(AuditEvent).describe("Entries, the newest first"),
  nextCursor: z.int().nullable().describe("What the next page is asked for with, if there is one"),
});
export type AuditPage = z.infer<typeof AuditPage>;
