import { alertIncidents, type Queryable, statement } from "@parley/db";
import {
  type AlertIncident,
  type AlertMeasure,
  alertMeasures,
  type IncidentPage,
  type ListIncidents,
} from "@parley/schema";
import { and, count, desc, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { Process, RequestContext } from "../context.ts";
import { takePage } from "../data-access/pages.ts";
import type { Transaction } from "../log/transaction.ts";
import { hasDeliveries, toldOf } from "../log/webhook-outbox.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

/** Class of the advisory lock under which alerts are judged and changed. */
const LOCK_CLASS = 1_886_680_175;
const judging = sql.raw(`${LOCK_CLASS}, 0`);

export type IncidentRow = typeof alertIncidents.$inferSelect;

/** Lists the incidents of a workspace, the newest first, a page at a time. */
export async function listIncidents(
  context: RequestContext,
  { wId, alertId, status, ...page }: ListIncidents,
): Promise<IncidentPage> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, wId);
  const { id, closedAt } = alertIncidents;
  const rows = await db
    .select()
    .from(alertIncidents)
    .where(
      and(
        eq(alertIncidents.workspaceId, workspace.id),
        isNotNull(alertIncidents.openedAt),
        alertId === undefined ? undefined : eq(alertIncidents.alertId, alertId),
        status && (status === "open" ? isNull(closedAt) : isNotNull(closedAt)),
        page.lastValue === undefined ? undefined : lt(id, Number(page.lastValue)),
      ),
    )
    .orderBy(desc(id))
    .limit(page.limit + 1);
  const { page: shown, end } = takePage(rows, page, (row) => row.id);
  return { incidents: shown.map(renderIncident), ...end };
}

/** Counts the open incidents of all workspaces by what their alerts look at, which every measure is in. */
export async function countOpenAlerts({
  database: { db },
}: Pick<Process, "database">): Promise<{ measure: AlertMeasure; count: number }[]> {
  const { measure, openedAt, closedAt } = alertIncidents;
  const rows = await db
    .select({ measure, count: count() })
    .from(alertIncidents)
    .where(and(isNotNull(openedAt), isNull(closedAt)))
    .groupBy(measure);
  const open = new Map(rows.map((row) => [row.measure, row.count]));
  return (Object.keys(alertMeasures) as AlertMeasure[]).map((name) => ({
    measure: name,
    count: open.get(name) ?? 0,
  }));
}

function renderIncident(row: IncidentRow): AlertIncident {
  const { sid: sId, alertId, name, measure, threshold, value, worst } = row;
  const { beganAt, openedAt, closedAt, closedFor } = row;
  const numbers = { threshold, value, worst };
  // Only those that have opened are listed.
  const times = { beganAt, openedAt: openedAt ?? beganAt, closedAt, closedFor };
  return { sId, alertId, name, measure, ...numbers, ...times };
}

const tellStatement = statement<{ ids: string; event: string; now: number }, { told: boolean }>(
  "tell_incidents",
  sql`
  with ${toldOf(sql`
    select ${sql.placeholder("event")}::text as event, i.sid as log_id,
      case when i.closed_at is null then 0 else 1 end as seq, i.workspace_id, i.agent_id as agent_sid,
      jsonb_strip_nulls(jsonb_build_object('incidentId', i.sid, 'alertId', i.alert_id, 'name', i.name, 'measure', i.measure,
        'threshold', i.threshold, 'value', i.value, 'agentId', i.agent_id, 'reason', i.closed_for)) as subject,
      ${sql.placeholder("now")}::bigint as happened_at
    from alert_incidents i
    where i.id in (select value::bigint from json_array_elements_text(${sql.placeholder("ids")}::json))`)}
  select ${hasDeliveries} as told`,
);

/** Tells webhooks of incidents that have opened or ended, in the transaction in which they do. */
export async function tellIncidents(
  { db, afterCommit }: Pick<Transaction, "db" | "afterCommit">,
  {
    event,
    ids,
    now,
  }: { event: "alert.opened" | "alert.closed"; ids: readonly number[]; now: number },
): Promise<void> {
  if (ids.length === 0) return;
  const [row] = await tellStatement.execute(db, { ids: JSON.stringify(ids), event, now });
  if (row?.told) afterCommit.push({ topic: "runs", cause: "added", kind: "delivery" });
}

const endStatement = statement<{ now: number; ids: string; reason: string }, { id: number }>(
  "end_incidents",
  sql`
  with named as (
    select value::bigint as id from json_array_elements_text(${sql.placeholder("ids")}::json)
  ),
  dropped as (
    delete from alert_incidents i using named where i.id = named.id and i.opened_at is null
  )
  update alert_incidents i set closed_at = ${sql.placeholder("now")}::bigint,
    closed_for = ${sql.placeholder("reason")}::text
  from named where i.id = named.id and i.opened_at is not null and i.closed_at is null
  returning i.id::float8 as id`,
);

/** Ends incidents: what has opened is closed and told to webhooks, what has not is forgotten. */
export async function endIncidents(
  transaction: Pick<Transaction, "db" | "afterCommit">,
  { ids, reason, now }: { ids: readonly number[]; reason: "recovered" | "changed"; now: number },
): Promise<void> {
  if (ids.length === 0) return;
  const values = { ids: JSON.stringify(ids), reason, now };
  const closed = await endStatement.execute(transaction.db, values);
  await tellIncidents(transaction, {
    event: "alert.closed",
    ids: closed.map(({ id }) => id),
    now,
  });
}

/** Waits until nobody judges alerts, and keeps others from it until the transaction ends. */
export async function holdJudging(db: Queryable): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(${judging})`);
}

/** Whether this transaction alone judges alerts now. */
export async function takeJudging(db: Queryable): Promise<boolean> {
  const taken = sql<boolean>`pg_try_advisory_xact_lock(${judging})`;
  const [row] = await db.select({ taken }).from(sql`(select) one`);
  return row?.taken === true;
}
