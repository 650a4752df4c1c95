import { createHash, randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import type { Database } from "./database.ts";
import { migrationsFolder } from "./migrate.ts";
import { openPglite, openPostgres } from "./open.ts";

export type Driver = Database["driver"];

/** The databases that suites run on; PostgreSQL only where `DATABASE_URL` names a server. */
export const drivers: readonly {
  driver: Driver;
  skip: boolean;
  /** Ends the name of a suite; says why a suite is skipped. */
  suite: string;
}[] = [
  { driver: "pglite", skip: false, suite: "on PGlite" },
  databaseUrl() === undefined
    ? { driver: "postgres", skip: true, suite: "on PostgreSQL: DATABASE_URL is not set" }
    : { driver: "postgres", skip: false, suite: "on PostgreSQL" },
];

function databaseUrl(): string | undefined {
  return process.env["DATABASE_URL"];
}

/** Whether this is CI's full run, which may take minutes. */
export const isFullRun = process.env["PARLEY_TEST_FULL"] === "1";

/** Whether the processes of a server are to die for 15 minutes; the full run has a form of 3. */
export const isFaultsRun = process.env["PARLEY_TEST_FAULTS"] === "1";

/** Opens an empty, migrated database of its own for one test file. */
export async function openTestDatabase(driver: Driver): Promise<Database> {
  return driver === "pglite" ? openClone() : openTemporary();
}

/** Cloning a migrated directory takes 0.3 s, making one 2 s: the first test of a schema makes it. */
async function openClone(): Promise<Database> {
  const hash = createHash("sha256");
  for (const file of (await readdir(migrationsFolder)).toSorted()) {
    if (file.endsWith(".sql")) hash.update(await readFile(path.join(migrationsFolder, file)));
  }
  const template = path.join(os.tmpdir(), `parley-template-${hash.digest("hex").slice(0, 16)}.tar`);
  if (!(await exists(template))) await writeTemplate(template);
  return openPglite(await PGlite.create({ loadDataDir: await openAsBlob(template) }));
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function writeTemplate(template: string): Promise<void> {
  const client = await PGlite.create();
  const database = await openPglite(client);
  const dump = await client.dumpDataDir("none");
  await database.close();
  // Another test file may be doing the same: the name appears with the whole content, once, for a
  // file that is being read must not be replaced.
  const draft = `${template}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, Buffer.from(await dump.arrayBuffer()));
  try {
    await link(draft, template);
  } catch (error) {
    if (!(await exists(template))) throw error;
  } finally {
    await rm(draft);
  }
}

/** Makes a database on the server of `DATABASE_URL`; it is dropped when the handle is closed. */
async function openTemporary(): Promise<Database> {
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

/** Opens an empty PostgreSQL database for a test of locks; closing it gives its count of deadlocks. */
export async function openContendedDatabase(): Promise<{
  database: Database;
  close(): Promise<{ deadlocks: number }>;
}> {
  const server = databaseUrl() ?? "";
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

/** Makes an empty database on the server of `DATABASE_URL`, for a test that starts servers on it. */
export async function createTemporaryDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = databaseUrl();
  if (server === undefined) throw new Error("DATABASE_URL is not set");
  const name = `parley_test_${randomBytes(6).toString("hex")}`;
  await runOn(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = async () => void (await runOn(server, `drop database ${name} with (force)`));
  return { url: url.href, drop };
}

async function runOn<Row extends object>(server: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}
