/**
 * Collects items while the batch before is being written, so that the busier it is, the more items
 * share a commit; an item that comes alone does not wait.
 */
export function createBatcher<Item, Result>(
  write: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  interface Entry {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  let queue: Entry[] = [];
  let writing = false;

  const settle = async (batch: readonly Entry[]): Promise<void> => {
    try {
      const resultOf = await write(batch.map((entry) => entry.item));
      for (const { item, resolve } of batch) resolve(resultOf(item));
    } catch (error) {
      const [only, ...others] = batch;
      if (others.length === 0) only?.reject(error);
      // One bad item must not take the others with it.
      else for (const entry of batch) await settle([entry]);
    }
  };

  const drain = async (): Promise<void> => {
    writing = true;
    // What else becomes ready in this turn of the event loop shares the commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.slice(0, maxItems);
      queue = queue.slice(maxItems);
      await settle(batch);
    }
    writing = false;
  };

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.push({ item, resolve, reject });
    if (!writing) void drain();
    return promise;
  };
}
