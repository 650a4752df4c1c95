import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createTemporaryDatabase, runOn } from "@parley/db/testing";
import { describe, expect, test } from "vitest";
import { canMount, fill, mountDisk } from "../faults/small-disk.ts";
import { createPlace, settingsFor, startServer } from "../server.ts";
import { examine, examineEach, takePort } from "./doctor.ts";

/** A database of a test's own. */
async function createDatabase(isBare = false) {
  const { url, drop } = await createTemporaryDatabase({ isBare });
  return { url, run: async (query: string) => runOn(url, query), [Symbol.asyncDispose]: drop };
}

describe("PostgreSQL", () => {
  test("that cannot be reached, or says nothing, is said in time and without the password", async () => {
    await using silent = await takePort();
    const [dead, mute, other] = await examineEach(
      ["127.0.0.1:1", `127.0.0.1:${silent.port}`, "parley.invalid"].map((host) => ({
        DATABASE_URL: `postgres://root:not-logged@${host}/nothing`,
      })),
    );
    expect(dead?.of("database")).toMatchObject([
      {
        level: "fail",
        finding: "the database cannot be used: connect ECONNREFUSED 127.0.0.1:1",
        cure: "start PostgreSQL there, or correct DATABASE_URL",
      },
    ]);
    expect(mute?.of("database")[0]?.level).toBe("fail");
    expect(other?.of("database")[0]?.cure).toBe("correct the host in DATABASE_URL");
    for (const one of [dead, mute, other]) {
      expect(one?.stdout).not.toContain("not-logged");
      // What is known of the database only is not guessed.
      expect(one?.of("tables")).toEqual([]);
    }
  });

  test("that is not the user's, or lacks the database, is said", async () => {
    await using database = await createDatabase();
    const role = `parley_role_${randomBytes(6).toString("hex")}`;
    await database.run(`create role ${role} login password 'right'`);
    try {
      const url = new URL(database.url);
      url.pathname = "/parley_nowhere";
      const lacking = url.href;
      const stranger = Object.assign(new URL(database.url), { username: role, password: "right" });
      const [none, refused] = await examineEach(
        [lacking, stranger.href].map((DATABASE_URL) => ({ DATABASE_URL })),
      );
      expect(none?.of("database")[0]?.cure).toContain("create it (createdb)");
      expect(refused?.of("database")[0]?.cure).toContain("make the user of DATABASE_URL the owner");
    } finally {
      await database.run(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test.for([
    [
      "newer",
      "fail",
      "run that version of Parley",
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('new', 99999999999999)",
    ],
    [
      "migrations are missing: 1",
      "warn",
      "parley migrate",
      "delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)",
    ],
    [
      "other data than Parley's",
      "fail",
      "set DATABASE_URL to an empty database",
      "truncate drizzle.__drizzle_migrations",
    ],
  ] as const)("says of its tables: %s", async ([finding, level, cure, change]) => {
    await using database = await createDatabase();
    await database.run(change);
    const { of } = await examine({ DATABASE_URL: database.url });
    expect(of("tables")).toMatchObject([
      { level, finding: expect.stringContaining(finding) as string },
    ]);
    expect(of("tables")[0]?.cure).toContain(cure);
  });

  test("that is empty is well, and stays empty; if the user may not create tables it is said", async () => {
    await using database = await createDatabase(true);
    const role = `parley_role_${randomBytes(6).toString("hex")}`;
    await database.run(`create role ${role} login password 'right'`);
    const user = Object.assign(new URL(database.url), { username: role, password: "right" });
    try {
      const [owner, other] = await examineEach(
        [database.url, user.href].map((DATABASE_URL) => ({ DATABASE_URL })),
      );
      expect(owner?.of("tables")[0]?.finding).toBe(
        "the database is empty; the first start creates them",
      );
      expect(other?.of("tables")[0]).toMatchObject({ level: "fail" });
      const made = "select from pg_class where relnamespace = 'public'::regnamespace";
      expect(await database.run(made)).toEqual([]);
      expect(await database.run("select from pg_namespace where nspname = 'drizzle'")).toEqual([]);
    } finally {
      await database.run(`drop role ${role}`);
    }
  });

  test("whose schedules start nothing says how many, and why", async () => {
    await using database = await createDatabase();
    const stalled = (sid: string, columns: string) => `
      insert into schedules (sid, workspace_id, name, description, launch, anchor, timezone, overlap, missed,
        jitter_seconds, api_key_id, created_at, updated_at, paused_for, failing_since)
      values ('${sid}', 1, '', '', '{}', 0, 'UTC', 'skip', 'last', 0, 1, 0, 0, ${columns})`;
    // Their workspace is not what this is about.
    await database.run(
      `set session_replication_role = replica;
       ${stalled("a", "'key_revoked', 1")}; ${stalled("b", "null, 1")}; ${stalled("c", "null, null")}`,
    );
    const { of } = await examine({ DATABASE_URL: database.url });
    expect(of("schedules")).toMatchObject([
      {
        level: "warn",
        finding:
          "1 paused because their key is no longer valid, 1 failing to start what they should",
      },
    ]);
  });

  test("with open alerts, failing destinations and an index that is late says so", async () => {
    await using database = await createDatabase();
    await database.run(
      `set session_replication_role = replica;
       insert into alert_incidents (sid, workspace_id, alert_id, name, measure, threshold, value, worst, began_at, opened_at)
         values ('a', 1, 'workers', '', 'live_workers', 1, 0, 0, 0, 0);
       insert into trace_destinations (sid, workspace_id, name, url, encoding, header_names, sends_content, percent,
           is_enabled, exported_until, failing_since, created_at, updated_at)
         values ('d', 1, '', '', 'json', '{}', false, 100, true, 0, 0, 0, 0);
       insert into message_index (id, position, indexed_until)
         select 1, now_ms, now_ms from (select (extract(epoch from now()) * 1000)::bigint - 3600000 as now_ms) late;
       insert into messages (sid, id, workspace_id, conversation_id, rank, version, type, visibility, created_at, content)
         select 'm', 1, 1, 1, 0, 0, 'user_message', 'visible', (extract(epoch from now()) * 1000)::bigint, ''`,
    );
    const { of } = await examine({ DATABASE_URL: database.url });
    const warned = (finding: string) => [expect.objectContaining({ level: "warn", finding })];
    expect(of("alerts")).toEqual(warned("1 open"));
    expect(of("traces")).toEqual(warned("1 destination fails"));
    expect(of("search")).toEqual(
      warned("messages of the last 60 minutes are not found by their words yet"),
    );
  });

  test("that only reads, or has too few connections, is said", async () => {
    await using database = await createDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const settings = { DATABASE_URL: database.url, PARLEY_DATABASE_POOL: "1000" };
    expect((await examine(settings)).of("connections")).toMatchObject([
      { level: "warn", cure: "raise max_connections of PostgreSQL, or lower PARLEY_DATABASE_POOL" },
    ]);
    await database.run(`alter database ${name} set default_transaction_read_only = on`);
    expect((await examine(settings)).of("database")).toMatchObject([{ level: "fail" }]);
  });
});

describe("a data directory", () => {
  const check = async (directory: string) => {
    const { of } = await examine({ PARLEY_DATA_DIR: directory });
    const [directories, disks] = [of("data directory")[0], of("disk")[0]];
    return { directory: directories, disk: disks };
  };

  test("that is a file, below a file, another program's or another PostgreSQL's is said", async () => {
    await using place = await createPlace({ isEmbedded: true, isBare: true });
    const parent = path.dirname(place.directory);
    const at = (name: string) => path.join(parent, name);
    await writeFile(at("file"), "");
    await mkdir(at("open"), { mode: 0o755 });
    await writeFile(at("open/notes.txt"), "mine");
    await mkdir(at("old/postgresql"), { recursive: true, mode: 0o700 });
    await writeFile(at("old/postgresql/PG_VERSION"), "12\n");
    const findings: Record<string, string> = {
      file: "it is not a directory",
      "file/below": "a part of its path is not a directory",
      open: "contains more than Parley's data",
      old: "was created by PostgreSQL 12",
    };
    const examined = await examineEach(
      Object.keys(findings).map((name) => ({ PARLEY_DATA_DIR: at(name) })),
    );
    const said = examined.map(({ of }) => of("data directory")[0]);
    expect(said.map((one) => [one?.level, one?.finding])).toEqual(
      Object.values(findings).map((finding) => ["fail", expect.stringContaining(finding)]),
    );
    expect(await readdir(at("open"))).toEqual(["notes.txt"]);
  });

  test.skipIf(!canMount)(
    "on a disk that is full, nearly full or only for reading is said",
    async () => {
      await using disk = await mountDisk("100m");
      expect((await check(disk.path)).disk).toMatchObject({ level: "warn" });
      await fill(disk);
      const full = await check(disk.path);
      expect(full.disk).toMatchObject({ level: "fail" });
      expect(full.directory).toMatchObject({ level: "fail", cure: "free some space" });
      await disk.freeze();
      expect((await check(disk.path)).directory?.finding).toContain("its disk is read-only");
    },
  );

  test("that a server uses is well, and another server's port is not", async () => {
    await using place = await createPlace({ isEmbedded: true });
    await using server = await startServer(place);
    const PARLEY_PORT = new URL(server.url).port;
    const [own, stranger] = await examineEach([
      { ...settingsFor(place), PARLEY_PORT },
      { PARLEY_PORT },
    ]);
    expect(own?.checks.filter(({ level }) => level === "fail")).toEqual([]);
    expect(own?.of("data directory")[0]?.finding).toContain(`in use by process ${server.pid}`);
    expect(own?.of("port")[0]?.finding).toContain(`process ${server.pid}`);
    expect(own?.of("tables")[0]?.finding).toBe("they are up to date");
    // The demo of the directory.
    expect(own?.of("server")[0]?.finding).toBe(`${server.url} is ready`);
    expect(stranger?.of("port")[0]?.finding).toContain(
      "a Parley server with another data directory",
    );
  });
});
