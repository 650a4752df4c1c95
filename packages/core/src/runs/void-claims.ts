import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { isOfKindWith } from "./run-kinds.ts";

/**
 * Releases what earlier processes held: leases of runs, and uploads. For a process that is known to be
 * alone on its database, so that every other holder has died. What is due later than now only because
 * the clock was set back is due now. Call it before a worker starts.
 */
export async function voidClaims({ database }: Pick<Process, "database">): Promise<void> {
  await database.transaction(async (db) => {
    // The next takeover gives these runs another attempt, and with it another fence.
    await db.execute(sql`update runs set lease_until = now() - interval '1 second'
      where status = 'running' and lease_until >= now()`);
    await db.execute(sql`update runs set run_after = now()
      where status = 'waiting' and run_after > now()`);
    await db.execute(sql`update runs set run_after = now()
      where status = 'suspended' and ${isOfKindWith("backsOff")} and run_after > now() and outcome is null`);
    await db.execute(sql`update files set upload_id = null, upload_until = null
      where status = 'created' and upload_id is not null`);
  });
}
