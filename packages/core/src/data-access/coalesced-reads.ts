import { createBatcher } from "./batcher.ts";

/**
 * Creates coalesced reads: all calls during a read share the next one, so that no call is answered by a
 * read that began before it. Calls for the same item, by its identity, share the answer.
 */
export function createCoalescedReads<Item, Result>(
  read: (items: readonly Item[]) => Promise<(item: Item) => Result>,
  maxItems: number,
): (item: Item) => Promise<Result> {
  /** Items whose read has not begun. */
  const waiting = new Map<Item, Promise<Result>>();
  const add = createBatcher<Item, Result>((items) => {
    for (const item of items) waiting.delete(item);
    return read(items);
  }, maxItems);
  return (item) => waiting.getOrInsertComputed(item, () => add(item));
}
