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

/** Held while a replica migrates, so that replicas that start together migrate once. */
const MIGRATION_LOCK = 0x7061_726c;

const newestApplied = `select max(created_at) as newest from drizzle.__drizzle_migrations`;
const hasMigrations = `select to_regclass('drizzle.__drizzle_migrations') is not null as known`;

/** Applies missing migrations, one replica at a time. Throws `DatabaseTooNew`. */
export async function migratePostgres(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const { rows } = await client.query<{ known: boolean }>(hasMigrations);
    if (rows[0]?.known) {
      const applied = await client.query<{ newest: number | null }>(newestApplied);
      refuseNewer(applied.rows[0]?.newest);
    }
    await migrate(drizzle(client), { migrationsFolder });
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    client.release();
  } catch (error) {
    // Closing the connection frees the lock.
    client.release(true);
    throw error;
  }
}

function refuseNewer(newest: number | null | undefined): void {
  const file = readFileSync(path.join(migrationsFolder, "meta", "_journal.json"), "utf8");
  const journal = JSON.parse(file) as { entries: { when: number }[] };
  const known = Math.max(...journal.entries.map((entry) => entry.when));
  if (newest !== null && newest !== undefined && newest > known) {
    throw new DatabaseTooNew(
      "The database was written by a newer version of Parley: run that version, or a newer one",
    );
  }
}
