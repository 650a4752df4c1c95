import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { migratePostgres, migrationsFolder } from "../src/migrate.ts";

/** Held while a process makes the template. */
const TEMPLATE_LOCK = 0x7465_6d70;
/** SQLSTATE of a database that is not there. */
const UNKNOWN_DATABASE = "3D000";

/** The migrated database that others are cloned from; another state of the migrations, another name. */
async function templateName(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await readdir(migrationsFolder)).toSorted()) {
    if (file.endsWith(".sql")) hash.update(await readFile(path.join(migrationsFolder, file)));
  }
  return `parley_template_${hash.digest("hex").slice(0, 16)}`;
}

/** Makes an empty database on a server. Gives its name. */
export async function createEmptyDatabase(server: string): Promise<string> {
  const name = `parley_test_${randomBytes(6).toString("hex")}`;
  await runOn(server, `create database ${name}`);
  return name;
}

/** How this process's clones are made. */
let strategy: Promise<"file_copy" | "wal_log"> | undefined;

/** To copy files takes half as long as to log them, but waits for a checkpoint: too long where that is forced to a disk. */
async function chooseStrategy(server: string): Promise<"file_copy" | "wal_log"> {
  const [row] = await runOn<{ fsync: string }>(server, "show fsync");
  return row?.fsync === "off" ? "file_copy" : "wal_log";
}

/** How a clone differs from what the product makes. */
export interface CloneOptions {
  /**
   * Whether each connection plans a statement once, as the product's do that have run it five times: for tests of what is
   * answered, not of what that costs. To plan each of the first five is a seventh of what they take.
   */
  readonly isPlannedOnce?: boolean;
}

/** Clones the template, which it makes if need be: in a fifth of the time that the migrations take. */
export async function cloneDatabase(
  server: string,
  { isPlannedOnce = false }: CloneOptions = {},
): Promise<string> {
  const name = `parley_test_${randomBytes(6).toString("hex")}`;
  const template = await templateName();
  strategy ??= chooseStrategy(server);
  const clone = [`create database ${name} template ${template} strategy ${await strategy}`];
  if (isPlannedOnce) {
    clone.push(`alter database ${name} set plan_cache_mode = force_generic_plan`);
  }
  await runOn(server, ...clone).catch(async (error: unknown) => {
    if ((error as { code?: string }).code !== UNKNOWN_DATABASE) throw error;
    await makeTemplate(server, template);
    await runOn(server, ...clone);
  });
  return name;
}

async function makeTemplate(server: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    // Ends with the connection.
    await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const found = await client.query("select from pg_database where datname = $1", [template]);
    if (found.rowCount === 1) return;
    const draft = await createEmptyDatabase(server);
    await using started = new AsyncDisposableStack();
    const pool = new pg.Pool({ connectionString: urlOf(server, draft), max: 1 });
    started.defer(async () => pool.end());
    await migratePostgres(pool);
    await started.disposeAsync();
    await client.query(`alter database ${draft} rename to ${template}`);
  } finally {
    await client.end();
  }
}

/** Drops the template, for a server that stays. */
export async function dropTemplate(server: string): Promise<void> {
  await dropDatabase(server, await templateName());
}

export async function dropDatabase(server: string, name: string): Promise<void> {
  await runOn(server, `drop database if exists ${name} with (force)`);
}

/** The same server's URL with another database. */
export function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements, one after the other, on a connection of their own. Gives the rows of the last. */
export async function runOn<Row extends object>(
  server: string,
  ...queries: readonly string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    let rows: Row[] = [];
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const query of queries) ({ rows } = await client.query<Row>(query));
    return rows;
  } finally {
    await client.end();
  }
}
