import { auditEvents, type Queryable, workspaces } from "@parley/db";
import { type AuditEvent, type AuditPage, type ListAuditEvents, ParleyError } from "@parley/schema";
import { and, asc, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import type { Process, RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";

const SWEPT_AT_ONCE = 1000;

/**
 * Lists the audit log, the newest first: a workspace's key sees its workspace; operators see everything,
 * or the workspace that they name, also after its deletion. New entries do not shift later pages. Throws
 * `workspace_not_found`.
 */
export async function listAuditEvents(
  context: RequestContext,
  input: ListAuditEvents,
): Promise<AuditPage> {
  const { caller, database } = context;
  const { db } = database;
  const { wId: workspaceId, action, actor, outcome, since, until, lastValue, limit } = input;
  if (caller.kind === "operator" && workspaceId !== undefined) {
    await requireKnownWorkspace(db, workspaceId);
  }
  const ofWorkspace = caller.kind === "workspace" ? caller.workspace.sid : workspaceId;
  const rows = await db
    .select()
    .from(auditEvents)
    .where(
      and(
        ofWorkspace === undefined ? undefined : eq(auditEvents.workspaceId, ofWorkspace),
        action === undefined ? undefined : eq(auditEvents.action, action),
        actor === undefined ? undefined : eq(auditEvents.actorId, actor),
        outcome === undefined ? undefined : eq(auditEvents.outcome, outcome),
        since === undefined ? undefined : gte(auditEvents.at, since),
        until === undefined ? undefined : lt(auditEvents.at, until),
        lastValue === undefined ? undefined : lt(auditEvents.id, Number(lastValue)),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return { auditEvents: page.map(renderAuditEvent), ...end };
}

/** A workspace is known while it exists or the log has entries of it. */
async function requireKnownWorkspace(db: Queryable, sid: string): Promise<void> {
  if ((await db.$count(workspaces, eq(workspaces.sid, sid))) > 0) return;
  const recorded = db.select().from(auditEvents).where(eq(auditEvents.workspaceId, sid));
  if ((await recorded.limit(1)).length > 0) return;
  throw new ParleyError("workspace_not_found", "wId: no such workspace");
}

function renderAuditEvent(row: typeof auditEvents.$inferSelect): AuditEvent {
  const { actorId, actorName, ...event } = row;
  // Earlier versions recorded the names of secrets, which are not numbers and may be secrets themselves.
  const hasName =
    event.action.startsWith("functionSecrets.") && !/^\d+$/.test(event.subjectId ?? "");
  if (hasName) event.subjectId = null;
  return { ...event, actor: actorId === null ? null : { id: actorId, name: actorName ?? "" } };
}

/**
 * Deletes some of the entries older than `retentionMs`, in one transaction that blocks no other work,
 * and gives their number. Nothing else is ever deleted from the log.
 */
export async function sweepAuditLog(
  core: Process,
  { retentionMs }: { retentionMs: number },
): Promise<number> {
  const before = core.now() - retentionMs;
  return inTransaction(core, async ({ db }) => {
    // In this transaction the table's trigger allows older entries to be deleted.
    await db.execute(sql`select set_config('parley.audit_delete_before', ${String(before)}, true)`);
    const old = db
      .select({ id: auditEvents.id })
      .from(auditEvents)
      .where(lt(auditEvents.at, before))
      .orderBy(asc(auditEvents.at))
      .limit(SWEPT_AT_ONCE)
      .for("update", { skipLocked: true });
    const rows = await db
      .delete(auditEvents)
      .where(inArray(auditEvents.id, old))
      .returning({ id: auditEvents.id });
    return rows.length;
  });
}
