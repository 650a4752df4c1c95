import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { DirectoryInUse } from "./lock.ts";
import { DatabaseTooNew, migrationsFolder } from "./migrate.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { openPostgres } from "./open-postgres.ts";
import { statement } from "./statement.ts";
import { workspaces } from "./tables.ts";
import { createTemporaryDatabase, openTestDatabase } from "../testing/index.ts";

const journal = path.join(migrationsFolder, "meta", "_journal.json");
const makeNewer = sql`insert into drizzle.__drizzle_migrations (hash, created_at)
  values ('of the future', 99999999999999)`;
const countMigrations = async ({ db }: Database) =>
  statement<Record<string, never>, { count: number }>(
    "count_migrations",
    sql`select count(*) as count from drizzle.__drizzle_migrations`,
  ).execute(db, {});
const workspace = { sid: "w", name: "W", createdAt: 0 };

describe("migrations", () => {
  let temporary: Awaited<ReturnType<typeof createTemporaryDatabase>>;
  beforeEach(async () => void (temporary = await createTemporaryDatabase({ isBare: true })));
  afterEach(() => temporary.drop());
  const open = () => openPostgres({ url: temporary.url, poolSize: 2 });

  it("are applied once when several processes open an empty database at the same time", async () => {
    const [first, ...others] = await Promise.all([open(), open(), open()]);
    await first.db.insert(workspaces).values(workspace);
    const [{ count } = { count: 0 }] = await countMigrations(first);
    const { entries } = JSON.parse(await readFile(journal, "utf8")) as { entries: unknown[] };
    const counts = await Promise.all(others.map(({ db }) => db.$count(workspaces)));
    await Promise.all([first, ...others].map((database) => database.close()));
    expect(count).toBe(entries.length);
    expect(counts).toEqual([1, 1]);
  });

  it("keep what is in the database", async () => {
    const first = await open();
    await first.db.insert(workspaces).values(workspace);
    await first.close();
    const second = await open();
    expect(await second.db.$count(workspaces)).toBe(1);
    await second.close();
  });

  it("refuse a database that a newer version has written, and leave no connection", async () => {
    const database = await open();
    await database.db.execute(makeNewer);
    await expect(open()).rejects.toThrow(DatabaseTooNew);
    await expect(open()).rejects.toThrow("run that version or a newer one");
    await database.close();
  });
});

describe("a server that cannot be reached", () => {
  it("is not opened", async () => {
    const url = "postgres://root@127.0.0.1:1/nothing";
    await expect(openPostgres({ url })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("openEmbedded", () => {
  let directory: string;
  beforeAll(async () => {
    directory = path.join(await mkdtemp(path.join(os.tmpdir(), "parley-embedded-")), "new");
  });
  afterAll(() => rm(path.dirname(directory), { recursive: true }));

  it("keeps what was written, and holds the directory until it is closed", async () => {
    const first = await openEmbedded(directory);
    await first.db.insert(workspaces).values(workspace);
    await expect(openEmbedded(directory)).rejects.toThrow(DirectoryInUse);
    await first.close();
    const second = await openEmbedded(directory);
    expect(await second.db.$count(workspaces)).toBe(1);
    await second.close();
  });
});

describe("a test database", () => {
  it("is empty, migrated and nobody else's", async () => {
    const [one, other] = [await openTestDatabase(), await openTestDatabase()];
    await one.db.insert(workspaces).values(workspace);
    expect(await other.db.$count(workspaces)).toBe(0);
    await Promise.all([one.close(), other.close()]);
  });
});
