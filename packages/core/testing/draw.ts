/** Draws from a seed: equal seeds draw the same. */
export interface Draw {
  /** A whole number from 0 on, below `end`. */
  below(end: number): number;
  oneOf<T>(values: readonly T[]): T;
  /** Whether something happens that happens so many times in a hundred. */
  happens(percent: number): boolean;
}

/** Marsaglia's xorshift of 32 bits. */
export function createDraw(seed: number): Draw {
  let state = Math.imul(seed, 2_654_435_761) >>> 0 || 1;
  const below = (end: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % end;
  };
  return {
    below,
    oneOf: (values) => values[below(values.length)]!,
    happens: (percent) => below(100) < percent,
  };
}
