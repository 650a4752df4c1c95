import { orNothing } from "./check-database.ts";
import { type Finding, ok, warn } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

const WHAT = "clock";
/** What nobody notices; the server's own answer is exact to a second. */
const APART_MS = 3000;

/** The clock of this machine against those of the database and of the server. */
export async function checkClocks(around: Surroundings): Promise<readonly Finding[]> {
  const [database, server] = await Promise.all([
    orNothing(around.database),
    orNothing(around.probe),
  ]);
  return [
    ...judgeClock("the database", database?.clockAheadMs),
    ...judgeClock("the server", server?.clockAheadMs),
  ];
}

/** Whether this machine's clock and another's say the same. */
export function judgeClock(whose: string, aheadMs: number | undefined): readonly Finding[] {
  if (aheadMs === undefined) return [];
  const seconds = Math.abs(Math.round(aheadMs / 1000));
  if (Math.abs(aheadMs) < APART_MS) return [ok(WHAT, `it agrees with that of ${whose}`)];
  const finding = `it is ${seconds} s ${aheadMs > 0 ? "behind" : "ahead of"} that of ${whose}`;
  return [
    warn(WHAT, finding, "let both machines follow the time of NTP (timedatectl set-ntp true)"),
  ];
}
