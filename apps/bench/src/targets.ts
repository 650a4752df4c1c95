/** The bound that a median is held to. */
export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly below?: number;
}

/** The bound in words; empty without one. */
export function describeTarget({ atLeast, atMost, below }: Target): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  if (atMost !== undefined) return `at most ${atMost}`;
  return below === undefined ? "" : `below ${below}`;
}

/** Whether a value is within the bound; NaN never is. */
export function meetsTarget(value: number, { atLeast, atMost, below }: Target): boolean {
  return (
    value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) && value < (below ?? Infinity)
  );
}
