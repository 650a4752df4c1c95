/** The value below which `fraction` of the values lie (nearest rank); NaN of none. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.ceil(fraction * sorted.length);
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  return (
    (percentile(values, 0.5) +
      -percentile(
        values.map((value) => -value),
        0.5,
      )) /
    2
  );
}

/** What lies between the values of a measurement that was repeated. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The median of values and their range. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) };
}

/** Divides values by those of their pairs, so that what slows both of a pair falls out. */
export function pairedRatio(values: readonly number[], pairs: readonly number[]): Spread {
  return spreadOf(values.map((value, index) => value / (pairs[index] ?? Number.NaN)));
}
