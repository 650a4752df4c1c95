import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";

/** How often the clock is compared: an oscillator drifts a few ms in that time at most. */
const COMPARE_MS = 30_000;
/** The quickest of several comparisons is the most precise. */
const FIRST_COMPARISONS = 3;
/** How far time of day and running time may diverge before the clock is compared. */
const LEAP_MS = 1000;

const readNow = statement<Record<string, never>, { now: number }>(
  "read_now",
  sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
);

/** The clocks of this machine, in milliseconds. */
export interface LocalClocks {
  /** Monotonic, with an arbitrary start. */
  readonly running: () => number;
  /** May be wrong, and may change at any time. */
  readonly timeOfDay: () => number;
}

/** This process's estimate of the database's clock. */
export interface DatabaseClock extends Disposable {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Starts a clock with the database's time, which all processes share. Its error is at most the quickest
 * round trip to the database, which it queries twice a minute. Rejects if the database cannot be queried.
 */
export async function startDatabaseClock(
  db: Queryable,
  local: LocalClocks = { running: () => performance.now(), timeOfDay: () => Date.now() },
): Promise<DatabaseClock> {
  /** The database's time minus the running time. */
  let offset = 0;
  let leap = 0;

  const compare = async (): Promise<{ least: number; most: number }> => {
    leap = local.timeOfDay() - local.running();
    const askedAt = local.running();
    const [row] = await readNow.execute(db, {});
    if (row === undefined) throw new Error("The database gave no time");
    return { least: row.now - local.running(), most: row.now - askedAt };
  };
  let roundTripMs = Infinity;
  for (let count = 0; count < FIRST_COMPARISONS; count++) {
    const { least, most } = await compare();
    if (most - least < roundTripMs) offset = (least + most) / 2;
    roundTripMs = Math.min(roundTripMs, most - least);
  }

  const correct = async (): Promise<void> => {
    const { least, most } = await compare();
    // A slow answer only corrects an offset outside of its bounds.
    offset = Math.min(Math.max(offset, least), most);
  };
  // While the database cannot be queried, the clock keeps its offset.
  const correctSoon = () => void correct().catch(() => undefined);
  const timer = setInterval(correctSoon, COMPARE_MS);
  timer.unref();
  return {
    now: () => {
      const running = local.running();
      // The machine was asleep, or its clock was set.
      if (Math.abs(local.timeOfDay() - running - leap) > LEAP_MS) correctSoon();
      return Math.round(running + offset);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
