import { alertIncidents, alerts, statement } from "@parley/db";
import { asc, isNull, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import { alertsOf, type AlertRow, type WorkspaceAlert } from "./alert-rules.ts";
import { endIncidents, type IncidentRow, takeJudging, tellIncidents } from "./incidents.ts";
import { isWorse, judge } from "./judge.ts";
import { observe, type Observed, type Window } from "./observe.ts";

/** Incidents that begin, open, end or worsen in one transaction; others do with the next. */
const MAX_CHANGES = 1000;

/** What is written of an incident that has begun, opened or worsened. */
interface Written {
  readonly sid: string;
  readonly workspace_id: number;
  readonly alert_id: string;
  readonly agent_id: string | null;
  readonly name: string;
  readonly measure: string;
  readonly threshold: number;
  readonly value: number;
  readonly worst: number;
  readonly began_at: number;
  readonly opened_at: number | null;
}

interface Changes {
  readonly written: Written[];
  readonly ended: number[];
}

const writeStatement = statement<{ rows: string; now: number }, { id: number; isNew: boolean }>(
  "write_incidents",
  sql`
  with given as (
    select * from json_to_recordset(${sql.placeholder("rows")}::json) as g(sid text, workspace_id bigint, alert_id text,
      agent_id text, name text, measure text, threshold float8, value float8, worst float8, began_at bigint,
      opened_at bigint)
  )
  insert into alert_incidents as i (sid, workspace_id, alert_id, agent_id, name, measure, threshold, value, worst, began_at,
    opened_at)
  select g.* from given g join workspaces w on w.id = g.workspace_id and w.deleted_at is null
  on conflict (workspace_id, alert_id) where closed_at is null do update
    set value = excluded.value, worst = excluded.worst, opened_at = excluded.opened_at
  returning i.id::float8 as id, i.opened_at = ${sql.placeholder("now")}::bigint as "isNew"`,
);

/**
 * Judges the alerts of all workspaces: incidents begin and end in one transaction with what webhooks are told of them, so
 * each is told once, however many processes do this and whenever they are killed. Gives false if another one is doing it.
 */
export async function judgeAlerts(given: Process): Promise<boolean> {
  const core = onSlowDatabase(given);
  return inTransaction(core, async (transaction) => {
    const { db } = transaction;
    if (!(await takeJudging(db))) return false;
    const now = core.now();
    const rows = await db.select().from(alerts).orderBy(asc(alerts.id));
    const incidents = await db.select().from(alertIncidents).where(isNull(alertIncidents.closedAt));
    const byWorkspace = Map.groupBy(rows, ({ workspaceId }) => workspaceId);
    const observed = await observe(db, windowsOf(byWorkspace), now);
    const changes = judgeAll({ core, byWorkspace, incidents, observed, now });
    await write(transaction, changes, now);
    return true;
  });
}

/** The windows that rules look at: those of the built-in alerts of everybody, and those of the alerts that are stored. */
function windowsOf(byWorkspace: ReadonlyMap<number, readonly AlertRow[]>): Window[] {
  const builtIn = alertsOf([]).map((one) => ({ ...one, workspaceId: null }));
  const stored = [...byWorkspace.values()].flat();
  const windows = new Map<string, Window>();
  for (const { workspaceId, windowMinutes: minutes, agentId } of [...builtIn, ...stored]) {
    windows.set(`${workspaceId}/${minutes}/${agentId}`, { workspaceId, minutes, agentId });
  }
  const common = new Set(builtIn.map(({ windowMinutes }) => windowMinutes));
  return [...windows.values()].filter(
    ({ workspaceId, agentId, minutes }) =>
      workspaceId === null || agentId !== null || !common.has(minutes),
  );
}

interface Judged {
  readonly core: Process;
  readonly byWorkspace: ReadonlyMap<number, readonly AlertRow[]>;
  readonly incidents: readonly IncidentRow[];
  readonly observed: Observed;
  readonly now: number;
}

function judgeAll({ core, byWorkspace, incidents, observed, now }: Judged): Changes {
  const keyOf = (workspaceId: number, alertId: string) => `${workspaceId}/${alertId}`;
  const unjudged = new Map(incidents.map((one) => [keyOf(one.workspaceId, one.alertId), one]));
  const changes: Changes = { written: [], ended: [] };
  const ids = new Set([
    ...observed.workspaceIds,
    ...byWorkspace.keys(),
    ...incidents.map(({ workspaceId }) => workspaceId),
  ]);
  for (const workspaceId of ids) {
    for (const alert of alertsOf(byWorkspace.get(workspaceId) ?? [])) {
      if (changes.written.length + changes.ended.length >= MAX_CHANGES) return changes;
      const key = keyOf(workspaceId, alert.alertId);
      const incident = unjudged.get(key);
      const value = alert.isEnabled ? observed.read(workspaceId, alert) : null;
      const verdict = judge(alert, { value, incident, now });
      if (verdict === "nothing") continue;
      if (verdict === "drop" || verdict === "close") {
        if (incident !== undefined) changes.ended.push(incident.id);
      } else if (value !== null) {
        const opens = verdict === "open";
        changes.written.push(writtenOf(core, { workspaceId, alert, incident, value, now, opens }));
      }
    }
  }
  return changes;
}

interface Found {
  readonly workspaceId: number;
  readonly alert: WorkspaceAlert;
  readonly incident: IncidentRow | undefined;
  readonly value: number;
  readonly now: number;
  readonly opens: boolean;
}

function writtenOf(
  core: Process,
  { workspaceId, alert, incident, value, now, opens }: Found,
): Written {
  const worst =
    incident === undefined || isWorse(alert, value, incident.worst) ? value : incident.worst;
  return {
    sid: incident?.sid ?? core.newId("inc"),
    workspace_id: workspaceId,
    alert_id: alert.alertId,
    agent_id: alert.agentId,
    name: alert.name,
    measure: alert.measure,
    threshold: alert.threshold,
    value: opens || incident === undefined ? value : incident.value,
    worst,
    began_at: incident?.beganAt ?? now,
    opened_at: opens ? now : (incident?.openedAt ?? null),
  };
}

async function write(
  transaction: Transaction,
  { written, ended }: Changes,
  now: number,
): Promise<void> {
  await endIncidents(transaction, { ids: ended, reason: "recovered", now });
  if (written.length === 0) return;
  const rows = JSON.stringify(written);
  const stored = await writeStatement.execute(transaction.db, { rows, now });
  const ids = stored.flatMap(({ id, isNew }) => (isNew ? [id] : []));
  await tellIncidents(transaction, { event: "alert.opened", ids, now });
}
