import * as z from "zod";

const FORM = /^(\d{1,9})([smhd])$/;
const seconds = { d: 86_400, h: 3600, m: 60, s: 1 } as const;

/** A duration in text, such as `90s`, `15m`, `1h` or `1d`. */
export const Duration = z
  .string()
  .max(10)
  .regex(FORM, { error: "must be a number of s, m, h or d, such as 90s, 15m, 1h or 1d" });

/** The seconds of a duration. */
export function secondsOf(duration: string): number {
  const [, count, unit] = FORM.exec(duration) ?? [];
  return Number(count) * seconds[unit as keyof typeof seconds];
}

/** The shortest duration of so many seconds. */
export function durationOf(total: number): string {
  const units = Object.entries(seconds);
  const [unit, one] = units.find(([, each]) => total > 0 && total % each === 0) ?? ["s", 1];
  return `${total / one}${unit}`;
}
