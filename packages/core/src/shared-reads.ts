/** One statement, and who waits for it. */
interface Round<Item, Result> {
  readonly results: Map<Item, Promise<Result>>;
  readonly found: PromiseWithResolvers<(item: Item) => Result>;
}

/**
 * Reads together for all who ask while a read is under way, but behind it: nobody is answered from a
 * read that began before the question. Who asks for the same item, by its identity, shares the answer.
 */
export function createSharedReads<Item, Result>(
  read: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  /** In the order in which they are read; only the last takes more. */
  const rounds: Round<Item, Result>[] = [];
  let reading = false;

  const drain = async (): Promise<void> => {
    reading = true;
    while (rounds.length > 0) {
      // What else becomes ready in this turn of the event loop shares the statement.
      await new Promise((resolve) => setImmediate(resolve));
      const round = rounds.shift();
      if (round === undefined) break;
      try {
        round.found.resolve(await read([...round.results.keys()]));
      } catch (error) {
        round.found.reject(error);
      }
    }
    reading = false;
  };

  const openRound = (): Round<Item, Result> => {
    const last = rounds.at(-1);
    if (last !== undefined && last.results.size < maxItems) return last;
    const round: Round<Item, Result> = {
      results: new Map(),
      found: Promise.withResolvers<(item: Item) => Result>(),
    };
    rounds.push(round);
    if (!reading) void drain();
    return round;
  };

  return (item) => {
    const shared = rounds.at(-1)?.results.get(item);
    if (shared !== undefined) return shared;
    const { results, found } = openRound();
    const result = found.promise.then((resultOf) => resultOf(item));
    results.set(item, result);
    return result;
  };
}
