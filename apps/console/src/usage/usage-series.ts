import type { Output } from "parley-client";

export type Usage = Output<"usage.get">;
type Row = Usage["rows"][number];

/** How many days the page may show. */
export const periods = ["7", "30", "90", "365"] as const;
export type Period = (typeof periods)[number];

/** What usage may be divided by. */
export const dimensions = ["none", "agent", "model", "key", "user", "origin", "workspace"] as const;
export type Dimension = (typeof dimensions)[number];

/** What is shown of usage: money or tokens. */
export type Measure = "cost" | "tokens";

/** Layers of a bar that have a colour of their own; what is beyond them is one more. */
const MAX_LAYERS = 5;
const DAY_MS = 24 * 3_600_000;

type Figures = Pick<Row, "amount" | "inputTokens" | "outputTokens">;

/** A number of what is shown. */
export function valueOf(measure: Measure, figures: Figures): number {
  return measure === "cost" ? Number(figures.amount) : figures.inputTokens + figures.outputTokens;
}

/** The name of what a row is of. */
export function nameOf({ id, name, isOthers }: Pick<Row, "id" | "name" | "isOthers">): string {
  return isOthers ? "Others" : (name ?? id ?? "None");
}

/** A layer of the bars: a value for each day. */
export interface Layer {
  readonly name: string;
  readonly values: readonly number[];
}

/** The first and the last of so many days, in a time zone, as YYYY-MM-DD. */
export function rangeOf(period: Period, now: number, timeZone: string) {
  // This locale writes days so.
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  const today = Date.parse(day.format(now));
  const endDate = isoDay(today);
  return { startDate: isoDay(today - (Number(period) - 1) * DAY_MS), endDate };
}

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Every day of a range. */
export function daysOf({ startDate, endDate }: { startDate: string; endDate: string }): string[] {
  const days = [];
  for (let at = Date.parse(startDate); at <= Date.parse(endDate); at += DAY_MS)
    days.push(isoDay(at));
  return days;
}

interface Shown {
  readonly days: readonly string[];
  readonly currency: string;
  readonly measure: Measure;
}

/** The layers of usage, the greatest first, with all that have no colour as the last. */
export function layersOf({ rows, groups }: Usage, { days, currency, measure }: Shown): Layer[] {
  const ofCurrency = <One extends { readonly currency: string }>(all: readonly One[]) =>
    all.filter((one) => one.currency === currency);
  const greatest = ofCurrency(groups)
    .filter(({ isOthers }) => !isOthers)
    .toSorted((a, b) => valueOf(measure, b) - valueOf(measure, a))
    .slice(0, MAX_LAYERS);
  const keyOf = ({ id, isOthers }: Pick<Row, "id" | "isOthers">) =>
    isOthers ? -1 : greatest.findIndex((group) => group.id === id);
  const byLayer = Map.groupBy(ofCurrency(rows), keyOf);
  const layerOf = (name: string, key: number): Layer => {
    const byDay = Map.groupBy(byLayer.get(key) ?? [], ({ date }) => date);
    const sum = (of: readonly Row[] = []) =>
      of.reduce((total, row) => total + valueOf(measure, row), 0);
    return { name, values: days.map((day) => sum(byDay.get(day))) };
  };
  const layers = greatest.map((group, index) => layerOf(nameOf(group), index));
  return byLayer.has(-1) ? [...layers, layerOf("Others", -1)] : layers;
}

/** How something has changed, as in `+12 %`; undefined if there was nothing before. */
export function changeOf(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? "+" : ""}${percent} %`;
}

/** An amount in its currency, with as many digits as a small one needs. */
export function formatMoney(amount: number, currency: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 6 : 2;
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency,
    maximumFractionDigits: digits,
  }).format(amount);
}
