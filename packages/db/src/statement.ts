import type { Query, SQL } from "drizzle-orm";
import type { PgDialect, PgSession, PreparedQueryConfig } from "drizzle-orm/pg-core";
import type { Queryable } from "./database.ts";

/** A hand-written SQL statement of the hot path. */
export interface Statement<Values extends Record<string, unknown>, Row> {
  /** Runs the statement with a value for each of its placeholders. */
  execute(db: Queryable, values: Values): Promise<Row[]>;
}

/**
 * Names an SQL statement, so that each connection parses and plans it once: PostgreSQL spends more
 * on planning a statement of several inserts than on running it. Placeholders are
 * `sql.placeholder(name)`. The rows come as the driver gives them.
 */
export function statement<Values extends Record<string, unknown>, Row = never>(
  name: string,
  query: SQL,
): Statement<Values, Row> {
  let compiled: Query | undefined;
  return {
    execute: async (db, values) => {
      // Drizzle prepares queries of its builder only; its own prepared queries are made like this.
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
