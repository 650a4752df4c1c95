import type { Queryable } from "@parley/db";
import { type AddToBatch, createBatcher, unwanted } from "../data-access/batcher.ts";
import { wasCommitted } from "../data-access/lost-answers.ts";
import { readLastSeqs } from "./read-log.ts";

/** Items of one statement, and the characters that an item may have to share it. */
const MAX_TOGETHER = 64;
const MAX_SHARED_CHARACTERS = 64 * 1024;

/**
 * Creates the insert of items that each have a log of their own; concurrent inserts share a commit. An
 * insert whose acknowledgement is lost has succeeded if its log exists; its result is undefined.
 */
export function createBatchedInsert<Item, Result>(
  db: Queryable,
  {
    insert,
    logIdOf,
    workspaceIdOf,
    lengthOf,
  }: {
    /** Writes all or none of them, and gives the result of each. */
    readonly insert: (items: readonly Item[]) => Promise<(item: Item) => Result>;
    readonly logIdOf: (item: Item) => string;
    readonly workspaceIdOf: (item: Item) => number;
    /** Characters of an item, roughly. */
    readonly lengthOf: (item: Item) => number;
  },
): AddToBatch<Item, Result | undefined> {
  const write = async (items: readonly Item[]): Promise<(item: Item) => Result | undefined> => {
    try {
      return await insert(items);
    } catch (error) {
      const logIds = items.slice(0, 1).map(logIdOf);
      const isStored = async () => (await readLastSeqs(db, logIds)).size > 0;
      if (!(await wasCommitted(error, isStored))) throw error;
      return () => undefined;
    }
  };
  const add = createBatcher(write, MAX_TOGETHER, workspaceIdOf);
  return async (item, isWanted) => {
    if (lengthOf(item) <= MAX_SHARED_CHARACTERS) return add(item, isWanted);
    if (isWanted?.() === false) throw unwanted();
    const resultOf = await write([item]);
    return resultOf(item);
  };
}
