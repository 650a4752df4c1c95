import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

/** Which runs that no worker holds need attention. */
export interface DueRuns {
  /** Some suspended runs have waited long enough. */
  readonly suspended: boolean;
  /** Some wait for the run before them. */
  readonly queued: boolean;
  /** Some have a worker that has not renewed its lease. */
  readonly expired: boolean;
}

const lookForDue = statement<Record<string, never>, DueRuns>(
  "look_for_due_runs",
  sql`
  select exists(select from runs where status = 'suspended' and run_after <= now()) as suspended,
    exists(select from runs where status = 'queued') as queued,
    exists(select from runs where status = 'running' and lease_until < now()) as expired`,
);

/** Looks with one read-only statement for what workers look for every second. */
export async function lookForDueRuns(core: Process): Promise<DueRuns> {
  const [due] = await lookForDue.execute(core.database.db, {});
  return due ?? { suspended: false, queued: false, expired: false };
}
