/**
 * Which workers are alive, for processes that have none: workers enter themselves where they look for due
 * runs (`due-runs.ts`).
 */
import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

/** What is so without a worker, and what to do. */
export const NO_WORKER =
  "No worker is running, so agents and functions wait: start parley worker, or parley serve, on this database";

const findLive = statement<Record<string, never>, { isAlive: boolean }>(
  "find_live_worker",
  sql`select exists(select from workers where alive_until > now()) as "isAlive"`,
);

/** Whether some process can run what waits. */
export async function hasLiveWorker({ database }: Pick<Process, "database">): Promise<boolean> {
  const [found] = await findLive.execute(database.db, {});
  return found?.isAlive ?? false;
}

const removeStatement = statement<{ workerId: string }>(
  "remove_worker",
  sql`
  delete from workers
  where id = ${sql.placeholder("workerId")} or alive_until < now() - interval '1 hour'`,
);

/** Removes a worker that ends, and those that died long ago. */
export async function removeWorker({ database }: Process, workerId: string): Promise<void> {
  await removeStatement.execute(database.db, { workerId });
}
