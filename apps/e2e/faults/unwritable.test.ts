import { rm } from "node:fs/promises";
import path from "node:path";
import { startCluster, type TestCluster } from "@parley/db/testing";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { type Answer, expectError, pathsOf, send } from "../request.ts";
import { canMount, fill, mountDisk } from "./small-disk.ts";
import {
  createPlace,
  eventually,
  type Place,
  type Server,
  settingsFor,
  startProgram,
  startServer,
  within,
} from "../server.ts";

// A database that cannot take more is said to be unavailable, for as long as it is.

/** A place whose database is the cluster's. */
async function placeOn(cluster: TestCluster): Promise<Place> {
  const place = await createPlace({ isEmbedded: true, isBare: true });
  return { ...place, databaseUrl: cluster.url };
}

async function ask(cluster: TestCluster, ...queries: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  for (const query of queries) await client.query(query);
  await client.end();
}

const readyz = (server: Server) => send(server, { path: "/readyz", key: null });

const create = (server: Server, content = "Hello") =>
  send(server, {
    path: pathsOf(server).conversations,
    json: { message: { content, mentions: [] } },
  });

/** Expects 503 with a time to wait. */
function expectUnavailable(answer: Answer): void {
  expectError(answer, "service_unavailable");
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

const isReady = (server: Server, status: number) =>
  eventually(async () => ((await readyz(server)).status === status ? { value: true } : {}), 15_000);

describe("PostgreSQL", { timeout: 120_000 }, () => {
  test("that only reads makes writes wait, and a process not ready", async () => {
    await using cluster = await startCluster();
    await using place = await placeOn(cluster);
    await using server = await startServer(place);
    expect((await create(server)).status).toBe(200);
    const set = (value: string) =>
      ask(
        cluster,
        `alter system set default_transaction_read_only = ${value}`,
        "select pg_reload_conf()",
      );
    await set("on");
    await isReady(server, 503);
    const late = startProgram(["serve"], settingsFor(place));
    expect(await within(30_000, late.exited)).toBe(1);
    expect(late.output.stderr).toMatch(
      /^parley: the database cannot be used: [^\n]+read-only[^\n]+\n$/,
    );
    expectUnavailable(await create(server));
    expectUnavailable(await readyz(server));
    expect((await send(server, { path: pathsOf(server).conversations })).status).toBe(200);
    await ask(
      cluster,
      "set default_transaction_read_only = off",
      "alter system reset all",
      "select pg_reload_conf()",
    );
    await isReady(server, 200);
    expect((await create(server)).status).toBe(200);
  });

  test("without a connection left makes requests wait, and a process not ready", async () => {
    const all = 8;
    const settings = { max_connections: String(all), superuser_reserved_connections: "0" };
    await using cluster = await startCluster({ settings });
    await using place = await placeOn(cluster);
    await using server = await startServer(place, { PARLEY_DATABASE_POOL: "2" });
    // What a start prints last needs the database.
    const hasSaidSo = async () =>
      server.output.stdout.includes("Parley listens") ? { value: true } : {};
    await eventually(hasSaidSo, 30_000);
    const hogs: pg.Client[] = [];
    const hog = async (): Promise<boolean> => {
      const client = new pg.Client({ connectionString: cluster.url });
      client.on("error", () => {});
      const isIn = await client.connect().then(
        () => true,
        () => false,
      );
      if (isIn) hogs.push(client);
      return isIn;
    };
    expect(await hog()).toBe(true);
    await eventually(async () => {
      // What the server's connections leave free is taken at once.
      await hogs[0]!.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'parley'`);
      while (await hog());
      return hogs.length === all ? { value: true } : {};
    }, 20_000);
    await isReady(server, 503);
    expectUnavailable(await readyz(server));
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => create(server)));
    for (const answer of answers) expectUnavailable(answer);
    await Promise.all(hogs.map((client) => client.end()));
    await isReady(server, 200);
    expect((await create(server)).status).toBe(200);
  });

  test.skipIf(!canMount)("on a full disk makes writes wait, and a process not ready", async () => {
    await using disk = await mountDisk("120m");
    await using cluster = await startCluster({
      parent: disk.path,
      settings: { min_wal_size: "32MB", max_wal_size: "32MB" },
    });
    await using place = await placeOn(cluster);
    await using server = await startServer(place);
    expect((await create(server)).status).toBe(200);
    await fill(disk);
    const content = "x".repeat(200_000);
    const refused = await eventually(async () => {
      const answer = await create(server, content);
      return answer.status === 200 ? {} : { value: answer };
    }, 30_000);
    expectUnavailable(refused);
    expectUnavailable(await readyz(server));
    expect((await send(server, { path: pathsOf(server).conversations })).status).toBe(200);
    await rm(path.join(disk.path, "filler"));
    await isReady(server, 200);
    expect((await create(server, content)).status).toBe(200);
  });
});
