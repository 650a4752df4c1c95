import { agents, alertIncidents, alerts, insertRow, type Queryable } from "@parley/db";
import {
  type Alert,
  type AlertIdentity,
  type AlertList,
  alertMeasures,
  type AlertRule,
  type CreateAlert,
  invalidRequest,
  MAX_ALERTS,
  ParleyError,
  type Success,
  type UpdateAlert,
  type VersionedAlert,
} from "@parley/schema";
import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import { alertsOf, renderAlert, ruleOf, type WorkspaceAlert } from "./alert-rules.ts";
import { endIncidents, holdJudging } from "./incidents.ts";

/** Lists the alerts of a workspace: the built-in ones, then its own, the oldest first. */
export async function listAlerts(
  context: RequestContext,
  { wId }: { readonly wId: string },
): Promise<AlertList> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const found = alertsOf(await readRows(db, workspace.id));
  const open = await readOpen(db, workspace.id);
  return { alerts: found.map((one) => renderAlert(one, open.get(one.alertId) ?? null)) };
}

/** Reads an alert. Throws `alert_not_found`. */
export async function getAlert(
  context: RequestContext,
  { wId, alertId }: AlertIdentity,
): Promise<{ alert: Alert }> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const alert = requireAlert(await readRows(db, workspace.id), alertId);
  const open = await readOpen(db, workspace.id);
  return { alert: renderAlert(alert, open.get(alertId) ?? null) };
}

const readRows = (db: Queryable, workspaceId: number) =>
  db.select().from(alerts).where(eq(alerts.workspaceId, workspaceId)).orderBy(asc(alerts.id));

async function readOpen(db: Queryable, workspaceId: number): Promise<Map<string, number>> {
  const rows = await db
    .select({ alertId: alertIncidents.alertId, openedAt: alertIncidents.openedAt })
    .from(alertIncidents)
    .where(
      and(
        eq(alertIncidents.workspaceId, workspaceId),
        isNull(alertIncidents.closedAt),
        isNotNull(alertIncidents.openedAt),
      ),
    );
  return new Map(rows.map(({ alertId, openedAt }) => [alertId, openedAt ?? 0]));
}

function requireAlert(rows: Parameters<typeof alertsOf>[0], alertId: string): WorkspaceAlert {
  const found = alertsOf(rows).find((one) => one.alertId === alertId);
  if (found !== undefined) return found;
  throw new ParleyError("alert_not_found", "alertId: the workspace has no such alert");
}

/**
 * Creates an alert, which is judged from then on. Throws `agent_not_found`, and `invalid_request_error` for a rule that
 * contradicts itself, or for one too many.
 */
export async function createAlert(
  context: RequestContext,
  { wId, until, ...given }: CreateAlert,
): Promise<{ alert: Alert }> {
  const rule = { ...given, until: until ?? given.threshold };
  requireRule(rule);
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, wId);
    await holdJudging(db);
    await requireAgent(db, workspace.id, rule.agentId);
    const rows = await readRows(db, workspace.id);
    if (rows.filter(({ builtIn }) => builtIn === null).length >= MAX_ALERTS) {
      const message = `the workspace has ${MAX_ALERTS} alerts: remove some`;
      throw invalidRequest("body", [{ path: "", message }]);
    }
    const now = context.now();
    const row = await insertRow(db, alerts, {
      ...rule,
      sid: context.newId("alr"),
      workspaceId: workspace.id,
      builtIn: null,
      createdAt: now,
      updatedAt: now,
    });
    markCreated(row.sid);
    return { alert: renderAlert(requireAlert([row], row.sid), null) };
  });
}

/** Throws `invalid_request_error` for a rule that contradicts itself. */
function requireRule({ measure, agentId, comparison, threshold, until }: AlertRule): void {
  const isInside = comparison === "above" ? until <= threshold : until >= threshold;
  if (!isInside) {
    const message = `must be ${comparison === "above" ? "at most" : "at least"} the threshold`;
    throw invalidRequest("body", [{ path: "until", message }]);
  }
  if (agentId !== null && alertMeasures[measure].isLive) {
    const message = `${measure} is not measured by agent: leave it out`;
    throw invalidRequest("body", [{ path: "agentId", message }]);
  }
}

async function requireAgent(
  db: Queryable,
  workspaceId: number,
  agentId: string | null,
): Promise<void> {
  if (agentId === null) return;
  const [found] = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.workspaceId, workspaceId), eq(agents.sid, agentId)))
    .limit(1);
  if (found === undefined) {
    throw new ParleyError("agent_not_found", "agentId: the workspace has no such agent");
  }
}

/**
 * Changes an alert; an incident of it ends, and begins again if the measure is beyond what it now says. Throws like
 * `createAlert`, `alert_not_found`, and `version_conflict` if it was changed since the named version.
 */
export async function updateAlert(
  context: RequestContext,
  { wId, alertId, version, ...changes }: UpdateAlert,
): Promise<{ alert: Alert }> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const workspace = await administeredWorkspace(context, db, wId);
    await holdJudging(db);
    const before = requireAlert(await readRows(db, workspace.id), alertId);
    requireVersion("alert", before.row ?? { version: 0 }, version);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const rule: AlertRule = { ...ruleOf(before), ...Object.fromEntries(given) };
    requireRule(rule);
    if (changes.agentId !== undefined) await requireAgent(db, workspace.id, rule.agentId);
    const updatedAt = context.now();
    const row = before.row;
    const [changed] =
      row === undefined
        ? [
            await insertRow(db, alerts, {
              ...rule,
              sid: context.newId("alr"),
              workspaceId: workspace.id,
              builtIn: alertId,
              version: 1,
              createdAt: updatedAt,
              updatedAt,
            }),
          ]
        : await db
            .update(alerts)
            .set({ ...rule, version: row.version + 1, updatedAt })
            .where(eq(alerts.id, row.id))
            .returning();
    if (changed === undefined) throw new Error("The alert was not changed");
    await endChanged(transaction, { workspaceId: workspace.id, alertId, now: updatedAt });
    return { alert: renderAlert(requireAlert([changed], alertId), null) };
  });
}

/** Removes an alert, or gives a built-in one back what it was. Throws like `updateAlert`. */
export async function removeAlert(
  context: RequestContext,
  { wId, alertId, version }: VersionedAlert,
): Promise<Success> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const workspace = await administeredWorkspace(context, db, wId);
    await holdJudging(db);
    const { row } = requireAlert(await readRows(db, workspace.id), alertId);
    requireVersion("alert", row ?? { version: 0 }, version);
    if (row === undefined) return { success: true };
    await db.delete(alerts).where(eq(alerts.id, row.id));
    await endChanged(transaction, { workspaceId: workspace.id, alertId, now: context.now() });
    return { success: true };
  });
}

async function endChanged(
  transaction: Parameters<typeof endIncidents>[0],
  { workspaceId, alertId, now }: { workspaceId: number; alertId: string; now: number },
): Promise<void> {
  const rows = await transaction.db
    .select({ id: alertIncidents.id })
    .from(alertIncidents)
    .where(
      and(
        eq(alertIncidents.workspaceId, workspaceId),
        eq(alertIncidents.alertId, alertId),
        isNull(alertIncidents.closedAt),
      ),
    );
  const ids = rows.map(({ id }) => id);
  await endIncidents(transaction, { ids, reason: "changed", now });
}

/** Deletes the alerts of a workspace that is being deleted, with their incidents. */
export async function deleteAlerts(db: Queryable, workspaceId: number): Promise<void> {
  await holdJudging(db);
  await db.delete(alertIncidents).where(eq(alertIncidents.workspaceId, workspaceId));
  await db.delete(alerts).where(eq(alerts.workspaceId, workspaceId));
}
