import { type Queryable, ROW_ID_BLOCK, statement } from "@parley/db";
import { sql } from "drizzle-orm";

const nextBlock = statement<Record<string, never>, { first: number }>(
  "next_row_ids",
  sql`select nextval('row_ids') as first`,
);

/**
 * Gives the numbers of conversations and messages, which it takes from the database in blocks. Not to be
 * called inside a transaction, since it uses another connection.
 */
export function createRowIds(db: Queryable): (count: number) => Promise<number[]> {
  let next = 0;
  let end = 0;
  let refill: Promise<void> | undefined;
  const fetchBlock = async () => {
    const [row] = await nextBlock.execute(db, {});
    if (row === undefined) throw new Error("The sequence row_ids gave nothing");
    next = row.first;
    end = next + ROW_ID_BLOCK;
  };
  return async (count) => {
    while (next + count > end) {
      refill ??= fetchBlock().finally(() => (refill = undefined));
      await refill;
    }
    const first = next;
    next += count;
    return Array.from({ length: count }, (_, index) => first + index);
  };
}
