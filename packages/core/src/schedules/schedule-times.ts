import { CronFault, nextSlot, parseCron, type Schedule as Times } from "@parley/cron";
import { type Queryable, type schedules, statement } from "@parley/db";
import { invalidRequest } from "@parley/schema";
import { sql } from "drizzle-orm";

/** What says when a schedule fires. */
export type GivenTimes = Pick<
  typeof schedules.$inferSelect,
  "cron" | "everySeconds" | "anchor" | "timezone"
>;

/** The times of a stored schedule. */
export function timesOf({ cron, everySeconds, anchor, timezone }: GivenTimes): Times {
  if (everySeconds !== null) return { kind: "interval", everySeconds, anchorMs: anchor };
  return { kind: "cron", cron: parseCron(cron ?? ""), timezone };
}

/**
 * The times that a request gives. Throws `invalid_request_error` unless it gives one of `cron` and `everySeconds`, and for
 * an expression that cannot be read, or that never fires.
 */
export function requireTimes(given: GivenTimes, now: number): Times {
  if ((given.cron === null) === (given.everySeconds === null)) {
    throw refused("", "exactly one of cron and everySeconds must be there");
  }
  let times: Times;
  try {
    times = timesOf(given);
  } catch (error) {
    if (!(error instanceof CronFault)) throw error;
    throw refused("cron", error.message);
  }
  if (nextSlot(times, now) === null) throw refused("cron", "does not fire in the next ten years");
  return times;
}

const refused = (path: string, message: string) => invalidRequest("body", [{ path, message }]);

const nowStatement = statement<Record<string, never>, { now: number }>(
  "read_database_time",
  sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
);

/** The time of the database, in milliseconds: the clock that decides when schedules fire. */
export async function readDatabaseTime(db: Queryable): Promise<number> {
  const [row] = await nowStatement.execute(db, {});
  if (row === undefined) throw new Error("The database gave no time");
  return row.now;
}
