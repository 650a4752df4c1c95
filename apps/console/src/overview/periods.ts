import type { Output } from "parley-client";

export type Measures = Output<"measures.get">;
export type Figures = Measures["totals"];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The periods to choose from, in words after "in", and how long they are. */
export const periods = {
  hour: { name: "Last hour", span: "the last hour", lengthMs: HOUR_MS },
  day: { name: "Last day", span: "the last day", lengthMs: DAY_MS },
  week: { name: "Last 7 days", span: "the last 7 days", lengthMs: 7 * DAY_MS },
  month: { name: "Last 30 days", span: "the last 30 days", lengthMs: 30 * DAY_MS },
} as const;
type PeriodName = keyof typeof periods | "custom";
export const periodNames = ["hour", "day", "week", "month", "custom"] as const;

/** What is shown, as the URL says it. */
export interface OverviewSearch {
  period?: PeriodName | undefined;
  from?: number | undefined;
  to?: number | undefined;
  by?: Dimension | undefined;
}

/** What the figures may be divided by. */
export const dimensions = ["agent", "model", "tool", "key", "user", "workspace"] as const;
export type Dimension = (typeof dimensions)[number];

export const dimensionNames: Readonly<Record<Dimension, string>> = {
  agent: "Agent",
  model: "Model",
  tool: "Tool",
  key: "Key",
  user: "User",
  workspace: "Workspace",
};

export const isOfServer = (by: Dimension): by is "model" | "workspace" =>
  by === "model" || by === "workspace";
export const isOfWorkspace = (by: Dimension): by is Exclude<Dimension, "workspace"> =>
  by !== "workspace";

/** The range of a choice; a custom one that is not complete is the last day. */
export function rangeOf({ period = "hour", from, to }: OverviewSearch, now: number) {
  if (period === "custom" && from !== undefined && to !== undefined && from < to) {
    return { from, to };
  }
  const { lengthMs } = periods[period === "custom" ? "day" : period];
  return { from: now - lengthMs, to: now };
}

/** How something has changed, as in `+12 %`; undefined if there was nothing before. */
export function changeOf(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null || before === 0) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? "+" : ""}${percent} %`;
}

/** The share of answers that failed, in percent; null without answers. */
export const errorRateOf = ({ answers, errored }: Pick<Figures, "answers" | "errored">) =>
  answers === 0 ? null : (errored / answers) * 100;

/** An amount in its currency, with as many digits as a small one needs. */
export function formatMoney(amount: number, currency: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 6 : 2;
  const options = { style: "currency", currency, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(undefined, options).format(amount);
}

const ofHour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const ofDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const ofBoth = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** The begin of a step of such a length, as axes and tables show it. */
export function formatStep(time: number, stepMs: number): string {
  if (stepMs >= DAY_MS) return ofDay.format(time);
  return (stepMs >= HOUR_MS ? ofBoth : ofHour).format(time);
}
