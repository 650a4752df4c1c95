import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";

/** The folder of the SQL migrations. */
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/** The database was written by a newer version of Parley than this one. */
export class DatabaseTooNew extends Error {
  override readonly name = "DatabaseTooNew";
}

/** The database holds tables that are not Parley's. */
export class DatabaseForeign extends Error {
  override readonly name = "DatabaseForeign";
}

/** Held while a replica migrates, so that replicas that start together migrate once. */
const MIGRATION_LOCK = 0x7061_726c;

const applied = `select min(created_at) as oldest, max(created_at) as newest
  from drizzle.__drizzle_migrations`;
/** What somebody made where the tables will be; extensions' relations aside. */
const relations = `select current_database() as database, array(
    select relname::text from pg_class c
    where relnamespace = to_regnamespace('public') and relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists(select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by relname limit 3
  ) as names`;
const hasMigrations = `select to_regclass('drizzle.__drizzle_migrations') is not null as known`;

/**
 * Applies missing migrations, one replica at a time; `onMissing` hears first how many those of a database with
 * tables are. Throws `DatabaseForeign` and `DatabaseTooNew`.
 */
export async function migratePostgres(
  pool: pg.Pool,
  onMissing: (missing: number) => void = () => {},
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const { foreign, state, missing } = await readMigrationState(client);
    if (foreign !== undefined) throw new DatabaseForeign(foreign);
    if (state === "newer") throw new DatabaseTooNew(TOO_NEW);
    if (state === "older") onMissing(missing);
    await migrate(drizzle(client), { migrationsFolder });
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    client.release();
  } catch (error) {
    // Closing the connection frees the lock.
    client.release(true);
    throw error;
  }
}

/** The times of the first and the last migration of a database; null before the first. */
interface Applied {
  readonly oldest: number | null;
  readonly newest: number | null;
}

/** What the tables of a database are to this version of Parley. */
export interface MigrationState {
  readonly state: "empty" | "current" | "older" | "newer" | "foreign";
  /** Migrations of this version that the database lacks. */
  readonly missing: number;
  /** Why a foreign database cannot be used. */
  readonly foreign?: string;
}

/** Compares the tables of a database with this version's, and changes nothing. */
export async function readMigrationState(client: pg.ClientBase): Promise<MigrationState> {
  const { rows } = await client.query<{ known: boolean }>(hasMigrations);
  const found = rows[0]?.known ? (await client.query<Applied>(applied)).rows[0] : undefined;
  const times = knownTimes();
  const foreign = await describeForeign(client, found);
  if (foreign !== undefined) return { state: "foreign", missing: times.length, foreign };
  const newest = found?.newest ?? 0;
  const missing = times.filter((time) => time > newest).length;
  if (newest === 0) return { state: "empty", missing };
  if (newest > Math.max(...times)) return { state: "newer", missing };
  return { state: missing === 0 ? "current" : "older", missing };
}

async function describeForeign(
  client: pg.ClientBase,
  found: Applied | undefined,
): Promise<string | undefined> {
  const oldest = found?.oldest ?? undefined;
  if (oldest === knownTimes()[0]) return undefined;
  const { rows } = await client.query<{ database: string; names: string[] }>(relations);
  const { database = "", names = [] } = rows[0] ?? {};
  // Other programs use the same table for their migrations.
  if (oldest === undefined && names.length === 0) return undefined;
  const what =
    names.length === 0 ? "another program's migrations" : `tables such as ${names.join(", ")}`;
  return (
    `The database ${database} contains other data than Parley's (${what}): set DATABASE_URL to an empty ` +
    "database, or to one of Parley"
  );
}

const TOO_NEW =
  "The database was written by a newer version of Parley: run that version or a newer one";

/** The times of this version's migrations, in order. */
function knownTimes(): number[] {
  const file = readFileSync(path.join(migrationsFolder, "meta", "_journal.json"), "utf8");
  const journal = JSON.parse(file) as { entries: { when: number }[] };
  return journal.entries.map((entry) => entry.when);
}
