import type { Queryable } from "@parley/db";
import type { SQL } from "drizzle-orm";

/** The rows of a statement that is built for each call. */
export async function selectRows<Row>(db: Queryable, query: SQL): Promise<Row[]> {
  // The driver gives the rows there.
  const { rows } = (await db.execute(query)) as { rows: Row[] };
  return rows;
}
