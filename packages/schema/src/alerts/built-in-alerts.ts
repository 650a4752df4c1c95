/** What an alert looks at. Without zod, so that pages can have it. */
export const alertMeasures = {
  error_rate: { label: "Error rate", unit: "%", isLive: false, isShare: true },
  first_token_p95: { label: "First token, p95", unit: "ms", isLive: false, isShare: true },
  whole_p95: { label: "Whole answer, p95", unit: "ms", isLive: false, isShare: true },
  answers: { label: "Answers", unit: "", isLive: false, isShare: false },
  errors: { label: "Failed answers", unit: "", isLive: false, isShare: false },
  oldest_queued: { label: "Oldest queued run", unit: "ms", isLive: true, isShare: false },
  live_workers: { label: "Running workers", unit: "", isLive: true, isShare: false },
  budget_spent: { label: "Budget spent", unit: "%", isLive: true, isShare: false },
} as const;
export type AlertMeasure = keyof typeof alertMeasures;

/** When somebody is told, and when that ends. */
export interface AlertRule {
  readonly name: string;
  readonly measure: AlertMeasure;
  readonly agentId: string | null;
  readonly comparison: "above" | "below";
  readonly threshold: number;
  readonly until: number;
  readonly windowMinutes: number;
  readonly forMinutes: number;
  readonly minAnswers: number;
  readonly isEnabled: boolean;
}

const common = { agentId: null, comparison: "above", isEnabled: true } as const;

/** The alerts of each workspace, until it changes them. */
export const builtInAlerts = {
  "error-rate": {
    ...common,
    name: "Many answers fail",
    measure: "error_rate",
    threshold: 10,
    until: 5,
    windowMinutes: 15,
    forMinutes: 0,
    minAnswers: 10,
  },
  "first-token": {
    ...common,
    name: "Answers begin late",
    measure: "first_token_p95",
    threshold: 30_000,
    until: 20_000,
    windowMinutes: 15,
    forMinutes: 0,
    minAnswers: 10,
  },
  queue: {
    ...common,
    name: "Runs wait for long",
    measure: "oldest_queued",
    threshold: 120_000,
    until: 30_000,
    windowMinutes: 1,
    forMinutes: 0,
    minAnswers: 0,
  },
  workers: {
    ...common,
    name: "No worker is running",
    measure: "live_workers",
    comparison: "below",
    threshold: 1,
    until: 1,
    windowMinutes: 1,
    forMinutes: 1,
    minAnswers: 0,
  },
  budget: {
    ...common,
    name: "A budget is nearly used up",
    measure: "budget_spent",
    threshold: 80,
    until: 80,
    windowMinutes: 1,
    forMinutes: 0,
    minAnswers: 0,
  },
} as const satisfies Record<string, AlertRule>;
export type BuiltInAlert = keyof typeof builtInAlerts;
