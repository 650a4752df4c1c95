import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import pg from "pg";
import { assertOutsideTransaction, type Database, insideTransaction } from "./database.ts";
import { type DirectoryLock, lockDirectory } from "./lock.ts";
import { migratePglite, migratePostgres } from "./migrate.ts";
import * as tables from "./tables.ts";

const options = { schema: tables, casing: "snake_case" } as const;

// PostgreSQL's bigint: every number that Parley stores is within 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// Statements are planned once per connection, often while their tables are still empty: a plan that
// reads a whole table then stays, and gets slower with every row. Every query here goes by an index,
// so the planner is told to (docs/decisions/indexes-always.md).
const planner = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };

/** The same function, but it throws inside a transaction. */
function outsideTransaction<F extends (...args: never[]) => unknown>(method: F): F {
  return new Proxy(method, {
    apply: (target, self, args) => {
      assertOutsideTransaction();
      return Reflect.apply(target, self, args);
    },
  });
}

export interface PostgresOptions {
  readonly url: string;
  /** Connections of the pool. */
  readonly poolSize?: number;
  /** How long a query may wait for a connection. */
  readonly waitMs?: number;
  /** Called with the errors of connections, as when the server restarts. */
  readonly onError?: (error: Error) => void;
}

/** Opens PostgreSQL and brings its tables up to date. Throws when it cannot be reached. */
export async function openPostgres({
  url,
  poolSize = 16,
  waitMs = 10_000,
  onError = () => {},
}: PostgresOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    idle_in_transaction_session_timeout: 30_000,
    application_name: "parley",
    options: Object.entries({ ...planner, jit: "off" })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  });
  // The pool listens to idle connections only; one that breaks inside a transaction, between two of
  // its queries, would end the process.
  pool.on("connect", (client) => void client.on("error", onError));
  pool.on("error", () => {});
  // Pool.query goes through it too.
  pool.connect = outsideTransaction(pool.connect);
  const db = drizzlePostgres(pool, options);
  // A connection that the other side has forgotten would keep who asks waiting.
  const ping = { text: "select 1", query_timeout: waitMs };
  try {
    await migratePostgres(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    driver: "postgres",
    db,
    transaction: (work) => db.transaction((tx) => insideTransaction(() => work(tx))),
    pool: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    ping: async () => void (await pool.query(ping)),
    close: () => pool.end(),
  };
}

/** Opens a PGlite instance as a database and brings its tables up to date. */
export async function openPglite(client: PGlite): Promise<Database> {
  await migratePglite(client);
  for (const [name, value] of Object.entries(planner)) await client.exec(`set ${name} = ${value}`);
  client.query = outsideTransaction(client.query);
  client.transaction = outsideTransaction(client.transaction);
  const db = drizzlePglite(client, options);
  return {
    driver: "pglite",
    db,
    transaction: (work) => db.transaction((tx) => insideTransaction(() => work(tx))),
    pool: () => undefined,
    ping: async () => void (await client.query("select 1")),
    close: () => client.close(),
  };
}

/**
 * Opens the embedded database in `directory`, which it makes if need be and locks, unless it comes
 * with its lock. The lock is held until the database is closed or the process ends. Throws
 * `DirectoryInUse` when another process has it.
 */
export async function openEmbedded(directory: string, held?: DirectoryLock): Promise<Database> {
  const lock = held ?? (await lockDirectory(directory));
  try {
    const client = await PGlite.create(path.join(directory, "pglite"));
    const database = await openPglite(client);
    return {
      ...database,
      close: async () => {
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
