import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DirectoryInUse, DirectoryUnusable } from "../lock.ts";
import { clusterIn, holdsDatabase } from "./cluster.ts";
import { type EmbeddedServer, readEmbeddedUrl, startEmbedded } from "./start-embedded.ts";

let folder: string;
let directory: string;
const servers = new Set<EmbeddedServer>();
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "parley-embedded-"));
  directory = path.join(folder, "data");
  lines = [];
});
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers.clear();
  await rm(folder, { recursive: true });
});

async function start(at = directory): Promise<EmbeddedServer> {
  const log = (level: string, message: string) => void lines.push(`${level} ${message}`);
  const server = await startEmbedded(at, { log });
  servers.add(server);
  return server;
}

async function stop(server: EmbeddedServer): Promise<void> {
  servers.delete(server);
  await server.stop();
}

async function ask(server: EmbeddedServer, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}

async function show(server: EmbeddedServer, names: readonly string[]) {
  const list = names.map((name) => `current_setting('${name}') as "${name}"`).join(", ");
  return (await ask(server, `select ${list}`))[0];
}

const socketFolderOf = ({ url }: EmbeddedServer): string =>
  new URL(url).searchParams.get("host") ?? "";

describe("the embedded PostgreSQL", () => {
  it("forces to the disk what it acknowledges, and orders text by code point", async () => {
    const server = await start();
    const safe = ["fsync", "full_page_writes", "synchronous_commit", "autovacuum"];
    const shown = await show(server, [...safe, "dynamic_shared_memory_type", "server_encoding"]);
    expect(shown).toEqual({
      ...Object.fromEntries(safe.map((name) => [name, "on"])),
      dynamic_shared_memory_type: "mmap",
      server_encoding: "UTF8",
    });
    const [locale] = await ask(
      server,
      `select datlocprovider as provider, datlocale as locale
        from pg_database where datname = 'postgres'`,
    );
    expect(locale).toEqual({ provider: "b", locale: "C.UTF-8" });
  });

  it("listens on a socket that only its owner comes to, and on no port", async () => {
    const server = await start();
    expect(await show(server, ["listen_addresses"])).toEqual({ listen_addresses: "" });
    const socket = socketFolderOf(server);
    expect((await stat(socket)).mode & 0o777).toBe(0o700);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(clusterIn(directory))).mode & 0o777).toBe(0o700);
    await stop(server);
    await expect(stat(socket)).rejects.toThrow("ENOENT");
  });

  it("has a short path to its socket, however long that of its directory is", async () => {
    const server = await start(path.join(folder, "x".repeat(120), "y".repeat(120)));
    expect(socketFolderOf(server).length).toBeLessThan(80);
    expect(await ask(server, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("keeps what was written, and one owner at a time", async () => {
    const first = await start();
    await ask(first, "create table kept (id int); insert into kept values (7)");
    await expect(startEmbedded(directory)).rejects.toThrow(DirectoryInUse);
    await stop(first);
    const second = await start();
    expect(await ask(second, "select id from kept")).toEqual([{ id: 7 }]);
  });

  it("leaves a running one alone if the lock of its directory was removed", async () => {
    const first = await start();
    await ask(first, "create table kept (id int); insert into kept values (7)");
    const begun = await ask(first, "select pg_postmaster_start_time()::text as at");
    await rm(path.join(directory, "lock.sqlite"));
    await expect(startEmbedded(directory)).rejects.toThrow(DirectoryInUse);
    expect(await ask(first, "select pg_postmaster_start_time()::text as at")).toEqual(begun);
    await stop(first);
    const second = await start();
    expect(await ask(second, "select id from kept")).toEqual([{ id: 7 }]);
  });

  it(
    "comes back after its socket, or the folder of it, was removed",
    { timeout: 60_000 },
    async () => {
      const server = await start();
      await ask(server, "create table kept (id int); insert into kept values (7)");
      const socket = socketFolderOf(server);
      for (const removed of [socket, path.join(socket, ".s.PGSQL.5432")]) {
        await rm(removed, { recursive: true });
        await vi.waitFor(
          async () => expect(await ask(server, "select id from kept")).toEqual([{ id: 7 }]),
          { timeout: 25_000, interval: 50 },
        );
        expect((await stat(socket)).mode & 0o777).toBe(0o700);
      }
      const said = lines.filter((line) => line.includes("is being restarted"));
      const line = "error PostgreSQL is gone and is being restarted: its socket is gone";
      expect(said).toEqual([line, line]);
    },
  );

  it("says where it is while it runs", async () => {
    expect(await readEmbeddedUrl(directory)).toBeUndefined();
    const server = await start();
    expect(await readEmbeddedUrl(directory)).toBe(server.url);
    expect((await stat(path.join(directory, "database-url"))).mode & 0o777).toBe(0o600);
    await stop(server);
    expect(await readEmbeddedUrl(directory)).toBeUndefined();
    // As after a Parley that was killed.
    await writeFile(path.join(directory, "database-url"), server.url);
    expect(await readEmbeddedUrl(directory)).toBeUndefined();
  });

  it("logs nothing of what people write", async () => {
    const server = await start();
    await expect(ask(server, "select 'hunter2'::int")).rejects.toThrow("invalid input syntax");
    await expect(ask(server, "select hunter2")).rejects.toThrow("does not exist");
    await stop(server);
    expect(lines.filter((line) => !line.startsWith("debug"))).toEqual([]);
    expect(lines.join("\n")).not.toContain("hunter2");
  });

  it("makes the cluster again if a start was cut off in the middle", async () => {
    const draft = path.join(directory, "postgresql-new-cutoff");
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await writeFile(path.join(draft, "PG_VERSION"), "18\n");
    await chmod(directory, 0o700);
    await start();
    expect(await readdir(directory)).not.toContain("postgresql-new-cutoff");
  });

  it("takes no process for a server because of a file that was left behind", async () => {
    const first = await start();
    const file = path.join(clusterIn(directory), "postmaster.pid");
    const left = await readFile(file, "utf8");
    await stop(first);
    await writeFile(file, left.replace(/^\d+/, String(process.pid)));
    const second = await start();
    expect(await ask(second, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe.skipIf(process.platform !== "linux")("a lock file of PostgreSQL", () => {
  it.each([
    ["that is empty", ""],
    ["that is torn", "\0\0\0"],
  ])("%s does not block a start", async (_name, content) => {
    const first = await start();
    await ask(first, "create table kept (id int); insert into kept values (7)");
    await stop(first);
    await writeFile(path.join(clusterIn(directory), "postmaster.pid"), content);
    const second = await start();
    expect(await ask(second, "select id from kept")).toEqual([{ id: 7 }]);
  });
});

describe("a directory is refused", () => {
  const fill = async (name: string, version?: string) => {
    await mkdir(path.join(directory, name), { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
    if (version !== undefined) {
      await writeFile(path.join(directory, name, "PG_VERSION"), `${version}\n`);
    }
  };

  it.each([
    ["of another major version", "postgresql", "17", "was created by PostgreSQL 17"],
    ["with something else in its place", "postgresql", undefined, "is not a PostgreSQL database"],
    ["of PGlite", "pglite", "17", "export it with that version"],
  ])("%s", async (_name, name, version, reason) => {
    await fill(name, version);
    expect(await holdsDatabase(directory)).toBe(true);
    await expect(start()).rejects.toThrow(DirectoryUnusable);
    await expect(start()).rejects.toThrow(reason);
    // It is free for whoever comes next, and as it was.
    expect(await readdir(directory)).toEqual(["lock.sqlite", name].toSorted());
  });
});
