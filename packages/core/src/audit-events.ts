import { auditEvents, type Queryable, workspaces } from "@parley/db";
import { type AuditEvent, type AuditPage, type ListAuditEvents, ParleyError } from "@parley/schema";
import { and, asc, desc, eq, gte, inArray, lt, sql } from "drizzle-orm";
import { type Core, inTransaction, type RequestContext } from "./context.ts";

const SWEPT_AT_ONCE = 1000;

/**
 * Lists the audit log, the newest first: to a workspace's key what is of its workspace, to operators
 * everything, or what is of the workspace that they name, also after its deletion. Entries that come
 * while somebody turns the pages change none of them. Throws `workspace_not_found`.
 */
export async function listAuditEvents(
  context: RequestContext,
  input: ListAuditEvents,
): Promise<AuditPage> {
  const { caller, database } = context;
  const { db } = database;
  const { workspaceId, action, actor, outcome, since, until, cursor, limit } = input;
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
        cursor === undefined ? undefined : lt(auditEvents.id, cursor),
      ),
    )
    .orderBy(desc(auditEvents.id))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  return {
    auditEvents: page.map(renderAuditEvent),
    nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

/** A workspace is known while it exists, and as long as the log speaks of it. */
async function requireKnownWorkspace(db: Queryable, sid: string): Promise<void> {
  const [existing] = await db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.sid, sid));
  if (existing !== undefined) return;
  const [recorded] = await db
    .select({ id: auditEvents.id })
    .from(auditEvents)
    .where(eq(auditEvents.workspaceId, sid))
    .limit(1);
  if (recorded !== undefined) return;
  throw new ParleyError("workspace_not_found", "workspaceId: there is no such workspace");
}

function renderAuditEvent(row: typeof auditEvents.$inferSelect): AuditEvent {
  const { actorId, actorName, ...event } = row;
  return { ...event, actor: actorId === null ? null : { id: actorId, name: actorName ?? "" } };
}

/**
 * Deletes some of what is older than that from the audit log, in one transaction that other work does
 * not wait for, and gives the number of entries. Nothing else is ever deleted from it.
 */
export async function sweepAuditLog(
  core: Core,
  { retentionMs }: { retentionMs: number },
): Promise<number> {
  const before = core.now() - retentionMs;
  return inTransaction(core, async ({ db }) => {
    // The table's trigger lets go of what is older than that, in this transaction.
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
