import { type SQL, sql } from "drizzle-orm";

/**
 * The condition that a subquery (`from … where …`) which names columns of the outer query gives a row. In an
 * `or`, a `case` or a column, PostgreSQL may replace `exists` by a hash of all rows of the table, and since
 * version 18 `enable_seqscan` does not prevent it.
 */
export function hasRow(subquery: SQL): SQL<boolean> {
  return sql`((select true ${subquery} limit 1) is not null)`;
}
