import type { Database } from "../src/database.ts";
import { openPostgres } from "../src/open-postgres.ts";
import {
  type CloneOptions,
  cloneDatabase,
  createEmptyDatabase,
  dropDatabase,
  runOn,
  urlOf,
} from "./databases.ts";
import { serverUrl } from "./server.ts";

export { migrateUpTo } from "./migrate-up-to.ts";
export { findFreePort, startCluster, type TestCluster } from "./cluster.ts";
export { chooseTemporaryFolder } from "./temporary-folder.ts";
export { type CloneOptions, runOn } from "./databases.ts";

/** Whether this is the nightly run, which has the whole sizes of kills, growth, fuzz and properties. */
export const isNightly = process.env["PARLEY_TEST_NIGHTLY"] === "1";

/** What a test draws by: `PARLEY_TEST_SEED`, or the time. */
export const testSeed = Number(process.env["PARLEY_TEST_SEED"] ?? Date.now() % 2 ** 31);

/** A database of a test's own on the PostgreSQL of the run. */
export interface TemporaryDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes a migrated database for a test that starts servers on it; an empty one if it is bare. */
export async function createTemporaryDatabase({
  isBare = false,
  ...options
}: { readonly isBare?: boolean } & CloneOptions = {}): Promise<TemporaryDatabase> {
  const server = serverUrl();
  const name = await (isBare ? createEmptyDatabase(server) : cloneDatabase(server, options));
  return { url: urlOf(server, name), drop: () => dropDatabase(server, name) };
}

/** Opens a migrated database of its own for one test file; it is dropped when it is closed. */
export async function openTestDatabase(): Promise<Database> {
  const { url, drop } = await createTemporaryDatabase();
  const database = await openPostgres({ url });
  return {
    ...database,
    close: async () => {
      await database.close();
      await drop();
    },
  };
}

/** Locks that nobody can get are found out soon, so that a test meets many of them. */
const DEADLOCK_TIMEOUT = "50ms";

/** Opens a database for a test of locks; closing it gives its count of deadlocks. */
export async function openContendedDatabase(): Promise<{
  database: Database;
  close(): Promise<{ deadlocks: number }>;
}> {
  const server = serverUrl();
  const { url, drop } = await createTemporaryDatabase();
  const name = new URL(url).pathname.slice(1);
  await runOn(server, `alter database ${name} set deadlock_timeout = '${DEADLOCK_TIMEOUT}'`);
  const database = await openPostgres({ url });
  return {
    database,
    close: async () => {
      // A connection tells what it has counted when it ends.
      await database.close();
      const count = `select deadlocks::int from pg_stat_database where datname = '${name}'`;
      const [row] = await runOn<{ deadlocks: number }>(server, count);
      await drop();
      return { deadlocks: row?.deadlocks ?? Number.NaN };
    },
  };
}
