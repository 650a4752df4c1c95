import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { migrationsFolder } from "../src/migrate.ts";

/** Applies the migrations before the one with this tag. */
export async function migrateUpTo(client: pg.Client, tag: string): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-migrations-"));
  try {
    await cp(migrationsFolder, folder, { recursive: true });
    const file = path.join(folder, "meta", "_journal.json");
    const journal = JSON.parse(await readFile(file, "utf8")) as { entries: { tag: string }[] };
    const index = journal.entries.findIndex((entry) => entry.tag === tag);
    const entries = journal.entries.slice(0, index);
    await writeFile(file, JSON.stringify({ ...journal, entries }));
    await migrate(drizzle(client), { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}
