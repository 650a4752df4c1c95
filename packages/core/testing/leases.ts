import { sql } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

/** Ends every lease, as if all workers had failed. */
export async function expireTestLeases({ database }: Core): Promise<void> {
  await database.db.execute(
    sql`update runs set lease_until = '-infinity' where status = 'running'`,
  );
}
