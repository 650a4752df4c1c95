import type { Output } from "parley-client";

export type Schedule = Output<"schedules.get">["schedule"];
export type Firing = Output<"schedules.listFirings">["firings"][number];

/** The states of a firing. */
export const firingStatuses = [
  "planned",
  "waiting",
  "started",
  "skipped",
  "failed",
] as const satisfies readonly Firing["status"][];

/** What happens when the firing before still runs. */
export const overlaps: Readonly<Record<Schedule["overlap"], string>> = {
  skip: "Skip this time",
  wait: "Wait until it has ended",
  allow: "Start beside it",
};

/** What happens to times that passed while nothing could start. */
export const missedTimes: Readonly<Record<Schedule["missed"], string>> = {
  last: "Start once, for the last one",
  skip: "Skip them",
  all: "Start for each, up to 100",
};

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Seconds as a number of the largest unit that fits. */
export function splitSeconds(total: number): { readonly count: number; readonly unit: number } {
  const unit = units.find(([, seconds]) => total % seconds === 0)?.[1] ?? 1;
  return { count: total / unit, unit };
}

/** When a schedule fires, in words. */
export function timesOf({ cron, everySeconds }: Pick<Schedule, "cron" | "everySeconds">): string {
  if (cron !== null) return cron;
  const { count, unit } = splitSeconds(everySeconds ?? 0);
  const word = units.find(([, seconds]) => seconds === unit)?.[0] ?? "second";
  return count === 1 ? `every ${word}` : `every ${count} ${word}s`;
}

/** A member of what a schedule starts, as a text; empty for none. */
export function memberOf(launch: Schedule["agent"], member: string): string {
  const value = launch?.[member] ?? "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
