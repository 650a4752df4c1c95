import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { randomBytes } from "node:crypto";
import { redisServer, startTestRedis } from "@parley/core/testing-redis";
import { createTemporaryDatabase, runOn } from "@parley/db/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { createPlace, settingsFor } from "../server.ts";
import { failAsProcess, failToStart, sentenceOf } from "./fail-to-start.ts";

// Each start fails for a reason that is really there, and says it with its cure.

async function listenAnywhere(
  onConnection: Parameters<typeof createServer>[1] = () => {},
): Promise<{ server: Server; port: number } & AsyncDisposable> {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const close = async () => void (await new Promise((resolve) => server.close(resolve)));
  return { server, port, [Symbol.asyncDispose]: close };
}

// It is taken when all else has started, which only a process leaves behind.
describe("a port", () => {
  test.for(["PARLEY_PORT", "PARLEY_METRICS_PORT"] as const)(
    "that is in use is said with its setting: %s",
    async (setting) => {
      await using taken = await listenAnywhere();
      await using place = await createPlace();
      const said = await failAsProcess({ ...settingsFor(place), [setting]: String(taken.port) });
      expect(sentenceOf(said)).toBe(
        `parley: port ${taken.port} of 127.0.0.1 is in use by another program: ` +
          `set ${setting} to another port, or to 0 for any free one`,
      );
    },
  );

  test("of an address that the machine does not have is said", async () => {
    await using place = await createPlace();
    const said = await failAsProcess({ ...settingsFor(place), PARLEY_HOST: "192.0.2.1" });
    expect(sentenceOf(said)).toBe(
      "parley: 192.0.2.1 is not an address of this machine: correct PARLEY_HOST",
    );
  });
});

describe("PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createTemporaryDatabase>>;
  let role: string;
  beforeEach(async () => {
    database = await createTemporaryDatabase({ isBare: true });
    role = `parley_role_${randomBytes(6).toString("hex")}`;
    await runOn(database.url, `create role ${role} login password 'right'`);
  });
  afterEach(async () => {
    await runOn(database.url, `drop owned by ${role}; drop role ${role}`);
    await database.drop();
  });
  const as = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    url.username = role;
    url.password = "right";
    change(url);
    return url.href;
  };
  const fail = async (url: string, args = ["serve"]): Promise<string> =>
    sentenceOf(await failToStart({ DATABASE_URL: url, PARLEY_PORT: "0" }, { args }));

  const migrate = async (): Promise<string> => {
    const environment = { DATABASE_URL: database.url };
    const { code, stdout, stderr } = await runCli(["migrate"], { environment });
    expect(code, stderr).toBe(0);
    return stdout;
  };

  test("that does not listen is said with its address", async () => {
    expect(await fail("postgres://root@127.0.0.1:1/nothing")).toBe(
      "parley: the database cannot be used: connect ECONNREFUSED 127.0.0.1:1: " +
        "start PostgreSQL there, or correct DATABASE_URL",
    );
  });

  test("on a host without a name is said", async () => {
    expect(await fail("postgres://root@parley.invalid/nothing")).toMatch(
      /parley\.invalid: correct the host in DATABASE_URL$/,
    );
  });

  test("that closes each connection, as another program does, is said", async () => {
    await using other = await listenAnywhere((socket) => socket.destroy());
    expect(await fail(`postgres://root@127.0.0.1:${other.port}/nothing`)).toMatch(
      /: start PostgreSQL there, or correct DATABASE_URL$/,
    );
  });

  test("without TLS, if the URL demands it, is said", async () => {
    expect(await fail(as((url) => url.searchParams.set("sslmode", "verify-full")))).toBe(
      "parley: the database cannot be used: The server does not support SSL connections: " +
        "correct sslmode in DATABASE_URL, or the certificate of PostgreSQL",
    );
  });

  test("without the database is said", async () => {
    expect(await fail(as((url) => (url.pathname = "/parley_nowhere")))).toBe(
      'parley: the database cannot be used: database "parley_nowhere" does not exist: ' +
        "create it (createdb), or correct its name in DATABASE_URL",
    );
  });

  test("without the user is said", async () => {
    const said = await fail(as((url) => (url.username = "parley_nobody")));
    expect(said).toMatch(/parley_nobody.*: correct user and password in DATABASE_URL/);
  });

  test("whose user may not create tables is said, and nothing is left", async () => {
    const said = await fail(as(() => {}));
    expect(said).toContain("permission denied for");
    expect(said).toContain("make the user of DATABASE_URL the owner of the database");
    const name = new URL(database.url).pathname.slice(1);
    await runOn(database.url, `grant create on database ${name} to ${role}`);
    expect(await fail(as(() => {}))).toContain("permission denied for schema public");
    const tables = await runOn(
      database.url,
      "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema', 'drizzle')",
    );
    expect(tables).toHaveLength(0);
  });

  test("whose user may not read what another user has made is said", async () => {
    await migrate();
    expect(await fail(as(() => {}))).toContain("permission denied for schema drizzle");
  });

  test("that a newer version has written is said", async () => {
    await migrate();
    await runOn(
      database.url,
      "insert into drizzle.__drizzle_migrations (hash, created_at) values ('new', 99999999999999)",
    );
    expect(await fail(database.url)).toBe(
      "parley: The database was written by a newer version of Parley: run that version or a newer one",
    );
  });

  test("with tables of another program is said, and they stay as they are", async () => {
    await runOn(database.url, "create table invoices (id int); create view paid as select 1");
    expect(await fail(database.url)).toBe(
      `parley: The database ${new URL(database.url).pathname.slice(1)} contains other data than Parley's ` +
        "(tables such as invoices, paid): set DATABASE_URL to an empty database, or to one of Parley",
    );
    const made = await runOn<{ name: string }>(
      database.url,
      "select schemaname || '.' || tablename as name from pg_tables where schemaname !~ '^pg_|^information'",
    );
    expect(made).toEqual([{ name: "public.invoices" }]);
  });

  test("with another program's migrations is said", async () => {
    await runOn(
      database.url,
      `create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text, created_at bigint);
      insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1)`,
    );
    expect(await fail(database.url)).toContain("another program's migrations");
  });

  test("with an extension's view is used", async () => {
    await runOn(database.url, "create extension pg_stat_statements");
    expect(await migrate()).toContain("up to date");
  });
});

describe.skipIf(redisServer.isMissing)(`Redis${redisServer.suffix}`, () => {
  const fail = async (url: string): Promise<string> => {
    await using place = await createPlace();
    return sentenceOf(await failToStart({ ...settingsFor(place), REDIS_URL: url }));
  };

  test("that does not listen is said with its address", async () => {
    expect(await fail("redis://:not-logged@127.0.0.1:1")).toBe(
      "parley: Redis at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1: " +
        "start it, or correct or unset REDIS_URL",
    );
  });

  test("that answers nothing is said", async () => {
    const sockets: { destroy(): void }[] = [];
    await using silent = await listenAnywhere((socket) => void sockets.push(socket));
    expect(await fail(`redis://127.0.0.1:${silent.port}`)).toMatch(/cannot be used: .*REDIS_URL$/);
    for (const socket of sockets) socket.destroy();
  });

  test("that refuses the password is said, without it", async () => {
    const redis = await startTestRedis();
    try {
      const said = await fail(redis.url.replace("//", "//nobody:not-logged@"));
      expect(said).toMatch(/cannot be used: WRONGPASS.*REDIS_URL$/);
      expect(said).not.toContain("not-logged");
    } finally {
      await redis.kill();
    }
  });
});
