import { isDataError } from "@parley/db";
import { ParleyError } from "@parley/schema";

/**
 * Adds an item to the next batch. An item that is no longer wanted when the write begins is left out:
 * its promise rejects with `service_unavailable`.
 */
export type AddToBatch<Item, Result> = (item: Item, isWanted?: () => boolean) => Promise<Result>;

/**
 * Collects items while the previous batch is written, so that the more load, the more items share a
 * commit; a single item does not wait. A batch that the database refuses for the data of an item is
 * written again one by one; any other failure fails all of it.
 */
export function createBatcher<Item, Result>(
  write: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  maxItems: number,
): AddToBatch<Item, Result> {
  interface Entry {
    readonly item: Item;
    readonly isWanted: (() => boolean) | undefined;
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
      // One bad item must not fail the others. After an outage, each of them would fail again.
      if (batch.length > 1 && isDataError(error)) for (const entry of batch) await settle([entry]);
      else for (const { reject } of batch) reject(error);
    }
  };

  const takeBatch = (): Entry[] => {
    const batch: Entry[] = [];
    let taken = 0;
    while (batch.length < maxItems && taken < queue.length) {
      const entry = queue[taken++]!;
      if (entry.isWanted?.() === false) entry.reject(unwanted());
      else batch.push(entry);
    }
    queue = queue.slice(taken);
    return batch;
  };

  const drain = async (): Promise<void> => {
    writing = true;
    // Items of the same turn of the event loop share the commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = takeBatch();
      if (batch.length > 0) await settle(batch);
    }
    writing = false;
  };

  return (item, isWanted) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.push({ item, isWanted, resolve, reject });
    if (!writing) void drain();
    return promise;
  };
}

/** The error for what is not written because its client has gone. */
export function unwanted(): ParleyError {
  return new ParleyError("service_unavailable", "The client has gone: nothing was written", {
    retryAfterSeconds: 1,
  });
}
