import type { Database } from "@parley/db";

/** The same process with a longer statement timeout, for work on many rows. */
export function onSlowDatabase<P extends { readonly database: Database }>(process: P): P {
  const database = { ...process.database, ...process.database.slow };
  return Object.assign(Object.create(process) as P, { database });
}
