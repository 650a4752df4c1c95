import type { AlertRule } from "@parley/schema";

/** An incident that has not ended. */
export interface OpenIncident {
  readonly beganAt: number;
  /** Null while the measure has not been beyond the threshold for long enough. */
  readonly openedAt: number | null;
  readonly worst: number;
}

/** What becomes of an alert's incident. */
type Verdict = "nothing" | "begin" | "open" | "drop" | "worsen" | "close";

type Limits = Pick<AlertRule, "comparison" | "threshold" | "until" | "forMinutes">;

const isBeyond = ({ comparison, threshold }: Limits, value: number) =>
  comparison === "above" ? value > threshold : value < threshold;

const isBack = ({ comparison, until }: Limits, value: number) =>
  comparison === "above" ? value <= until : value >= until;

/** Whether a value is further from what is well than another. */
export const isWorse = ({ comparison }: Pick<Limits, "comparison">, value: number, than: number) =>
  comparison === "above" ? value > than : value < than;

/**
 * Decides what a measure means for an alert; null is a measure of which too little is known, which is nothing to worry
 * about. An incident that has opened ends only where the rule says that it does.
 */
export function judge(
  rule: Limits,
  {
    value,
    incident,
    now,
  }: {
    readonly value: number | null;
    readonly incident: OpenIncident | undefined;
    readonly now: number;
  },
): Verdict {
  if (incident?.openedAt != null) {
    if (value === null || isBack(rule, value)) return "close";
    return isWorse(rule, value, incident.worst) ? "worsen" : "nothing";
  }
  if (value === null || !isBeyond(rule, value)) {
    return incident === undefined ? "nothing" : "drop";
  }
  const beganAt = incident?.beganAt ?? now;
  if (now - beganAt >= rule.forMinutes * 60_000) return "open";
  return incident === undefined ? "begin" : "nothing";
}
