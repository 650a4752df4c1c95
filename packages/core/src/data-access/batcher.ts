import { isDataError } from "@parley/db";
import { ParleyError } from "@parley/schema";

/**
 * Adds an item to the next batch. An item that is no longer wanted when the write begins is left out:
 * its promise rejects with `service_unavailable`.
 */
export type AddToBatch<Item, Result> = (item: Item, isWanted?: () => boolean) => Promise<Result>;

/** More waiting items of a group than these are written apart from those of others. */
const MAX_SHARED = 8;
/** Groups that are written apart at once. */
const MAX_APART = 2;

/**
 * Collects items while the previous batch is written, so that the more load, the more items share a
 * commit; a single item does not wait. A batch that the database refuses for the data of an item is
 * written again one by one; any other failure fails all of it. If `groupOf` names the group of an item, a
 * group of which many wait has batches of its own: others wait neither for its rows nor for its locks.
 */
export function createBatcher<Item, Result>(
  write: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  maxItems: number,
  groupOf: (item: Item) => number = () => 0,
): AddToBatch<Item, Result> {
  interface Entry {
    readonly item: Item;
    readonly isWanted: (() => boolean) | undefined;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  /** What waits, by group: those whose turn is next come first. */
  const queues = new Map<number, Entry[]>();
  const apart = new Set<number>();
  let isSharedWritten = false;
  let isStarting = false;

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

  /** Moves items of a group to a batch, until that is full. */
  const fill = (batch: Entry[], group: number): void => {
    const queue = queues.get(group) ?? [];
    let taken = 0;
    while (batch.length < maxItems && taken < queue.length) {
      const entry = queue[taken++]!;
      if (entry.isWanted?.() === false) entry.reject(unwanted());
      else batch.push(entry);
    }
    if (taken < queue.length) queues.set(group, queue.slice(taken));
    else queues.delete(group);
  };

  /** The next turn is that of another group. */
  const goLast = (group: number): void => {
    const queue = queues.get(group);
    if (queue === undefined) return;
    queues.delete(group);
    queues.set(group, queue);
  };

  const writeApart = async (group: number): Promise<void> => {
    apart.add(group);
    const batch: Entry[] = [];
    fill(batch, group);
    await settle(batch);
    apart.delete(group);
    goLast(group);
    start();
  };

  const writeShared = async (groups: readonly number[]): Promise<void> => {
    isSharedWritten = true;
    const batch: Entry[] = [];
    for (const group of groups) if (batch.length < maxItems) fill(batch, group);
    await settle(batch);
    isSharedWritten = false;
    start();
  };

  const start = (): void => {
    const idle = [...queues].filter(([group]) => !apart.has(group));
    const many = idle.filter(([, queue]) => queue.length > MAX_SHARED);
    for (const [group] of many) if (apart.size < MAX_APART) void writeApart(group);
    const few = idle.filter(([, queue]) => queue.length <= MAX_SHARED);
    if (few.length > 0 && !isSharedWritten) void writeShared(few.map(([group]) => group));
  };

  return (item, isWanted) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const group = groupOf(item);
    const queue = queues.get(group);
    const entry = { item, isWanted, resolve, reject };
    if (queue === undefined) queues.set(group, [entry]);
    else queue.push(entry);
    if (isStarting) return promise;
    isStarting = true;
    // Items of the same turn of the event loop share the commit.
    setImmediate(() => {
      isStarting = false;
      start();
    });
    return promise;
  };
}

/** The error for what is not written because its client has gone. */
export function unwanted(): ParleyError {
  return new ParleyError("service_unavailable", "The client is gone: nothing was written", {
    retryAfterSeconds: 1,
  });
}
