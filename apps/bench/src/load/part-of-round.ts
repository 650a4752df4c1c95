/**
 * The part of `all` that is next in a round, so that rounds share the whole evenly; begins again after
 * the last. Small parts are made larger, so that what was used is not used again at once.
 */
export function partOfRound<T>(
  all: readonly T[],
  { round, rounds, atLeast }: { round: number; rounds: number; atLeast: number },
): T[] {
  const share = Math.ceil(all.length / rounds);
  const count = Math.min(all.length, Math.max(share, atLeast));
  const start = round * share;
  return Array.from({ length: count }, (_, index) => all[(start + index) % all.length]).filter(
    (one) => one !== undefined,
  );
}
