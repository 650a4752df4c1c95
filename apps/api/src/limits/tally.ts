/** Counts things by name; names with a count of 0 take no memory. */
export function createTally() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    counts: (): ReadonlyMap<string, number> => counts,
    add: (name: string): void => void counts.set(name, of(name) + 1),
    remove: (name: string): void => {
      const left = of(name) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    },
  };
}
