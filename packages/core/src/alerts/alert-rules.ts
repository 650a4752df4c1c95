import { alerts } from "@parley/db";
import { type Alert, type AlertRule, type BuiltInAlert, builtInAlerts } from "@parley/schema";

export type AlertRow = typeof alerts.$inferSelect;

/** An alert of a workspace, stored or built in. */
export interface WorkspaceAlert extends AlertRule {
  /** Public id; of a built-in one, its name. */
  readonly alertId: string;
  readonly row: AlertRow | undefined;
}

// The table has these members.
const builtInNames = Object.keys(builtInAlerts) as BuiltInAlert[];

const fromRow = (row: AlertRow): WorkspaceAlert => ({
  ...row,
  alertId: row.builtIn ?? row.sid,
  row,
});

/** The alerts of a workspace with these rows: the built-in ones, as far as they are changed as rows have them, then its own. */
export function alertsOf(rows: readonly AlertRow[]): WorkspaceAlert[] {
  const changed = new Map(rows.map((row) => [row.builtIn, row]));
  const builtIn = builtInNames.map((name): WorkspaceAlert => {
    const row = changed.get(name);
    return row === undefined
      ? { ...builtInAlerts[name], alertId: name, row: undefined }
      : fromRow(row);
  });
  return [...builtIn, ...rows.filter((row) => row.builtIn === null).map(fromRow)];
}

/** The rule of an alert, without what stores it. */
export function ruleOf(alert: AlertRule): AlertRule {
  const { name, measure, agentId, comparison, threshold, until } = alert;
  const { windowMinutes, forMinutes, minAnswers, isEnabled } = alert;
  const limits = { comparison, threshold, until };
  return {
    name,
    measure,
    agentId,
    ...limits,
    windowMinutes,
    forMinutes,
    minAnswers,
    isEnabled,
  };
}

/** An alert as the wire shows it. */
export function renderAlert(alert: WorkspaceAlert, openSince: number | null): Alert {
  const { alertId, row } = alert;
  return {
    sId: alertId,
    isBuiltIn: row === undefined || row.builtIn !== null,
    ...ruleOf(alert),
    openSince,
    version: row?.version ?? 0,
    updatedAt: row?.updatedAt ?? null,
  };
}
