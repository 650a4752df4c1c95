import { type Query, type SQL, sql } from "drizzle-orm";
import type { PgDialect, PgSession, PreparedQueryConfig } from "drizzle-orm/pg-core";
import type { Queryable } from "./database.ts";

/** A hand-written SQL statement of a hot path. */
export interface Statement<Values extends Record<string, unknown>, Row> {
  /** Runs the statement with a value for each of its placeholders. */
  execute(db: Queryable, values: Values): Promise<Row[]>;
}

/**
 * Names an SQL statement, so that each connection parses and plans it once: planning a statement of several
 * inserts takes PostgreSQL longer than running it. Placeholders are `sql.placeholder(name)`. The rows are
 * those of the driver.
 */
export function statement<Values extends Record<string, unknown>, Row = never>(
  name: string,
  query: SQL,
): Statement<Values, Row> {
  let compiled: Query | undefined;
  return {
    execute: async (db, values) => {
      // Drizzle only prepares queries of its builder; this is how it does.
      const { session, dialect } = db as unknown as { session: PgSession; dialect: PgDialect };
      const prepared = session.prepareQuery<PreparedQueryConfig & { execute: { rows: Row[] } }>(
        (compiled ??= dialect.sqlToQuery(query)),
        undefined,
        name,
        false,
      );
      const result = await prepared.execute(values);
      return result.rows;
    },
  };
}

/**
 * The condition that a subquery (`from … where …`) which names columns of the outer query gives a row. In an
 * `or`, a `case` or a column, PostgreSQL may replace `exists` by a hash of all rows of the table, and since
 * version 18 `enable_seqscan` does not prevent it.
 */
export function hasRow(subquery: SQL): SQL<boolean> {
  return sql`((select true ${subquery} limit 1) is not null)`;
}
