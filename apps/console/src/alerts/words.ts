import { alertMeasures } from "@parley/schema/built-in-alerts";
import type { Output } from "parley-client";
import { formatDuration, formatNumber } from "../ui/time.tsx";

export type Alert = Output<"alerts.list">["alerts"][number];
export type Incident = Output<"alerts.listIncidents">["incidents"][number];

/** A value of a measure with its unit. */
export function formatMeasure(measure: Alert["measure"], value: number): string {
  const { unit } = alertMeasures[measure];
  if (unit === "ms") return formatDuration(value);
  const shown = formatNumber(Math.round(value * 10) / 10);
  return unit === "" ? shown : `${shown} ${unit}`;
}

/** When an alert opens, in words. */
export function describeRule(alert: Alert): string {
  const { measure, comparison, threshold, windowMinutes, forMinutes } = alert;
  const { label, isLive } = alertMeasures[measure];
  const within = isLive ? "" : ` in ${formatNumber(windowMinutes)} min`;
  const lasting = forMinutes === 0 ? "" : ` for ${formatNumber(forMinutes)} min`;
  return `${label}${within} ${comparison} ${formatMeasure(measure, threshold)}${lasting}`;
}
