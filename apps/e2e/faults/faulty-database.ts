import { randomBytes } from "node:crypto";
import { type Database, openPostgres } from "@parley/db";
import { startTcpProxy, type TcpProxy } from "../replicas/tcp-proxy.ts";
import { createPlace, type Place, type Server, type Settings, startServer } from "../server.ts";

/** A server whose PostgreSQL a test can cut off, and that database without anything in between. */
export interface FaultyDatabase extends AsyncDisposable {
  readonly server: Server;
  readonly proxy: TcpProxy;
  readonly database: Database;
  /** Where the database is through the proxy, for further processes. */
  readonly place: Place;
  /** Breaks all connections of the server, and lets it open no others until the returned is called. */
  exhaustConnections(): Promise<() => Promise<void>>;
}

/** Starts a server that reaches its database through a proxy, as a role whose connections can be counted. */
export async function startOnFaultyDatabase(settings: Settings = {}): Promise<FaultyDatabase> {
  const direct = await createPlace();
  const url = new URL(direct.databaseUrl ?? "");
  const name = url.pathname.slice(1);
  // The limits of connections are not for superusers.
  const role = `parley_faults_${randomBytes(6).toString("hex")}`;
  const proxy = await startTcpProxy(Number(url.port || 5432));
  const database = await openPostgres({ url: url.href, poolSize: 2 });
  const run = async (query: string): Promise<void> => void (await database.db.execute(query));
  const { password } = url;
  await run(`create role ${role} login ${password === "" ? "" : `password '${password}'`}`);
  const through = new URL(url);
  through.username = role;
  through.hostname = "127.0.0.1";
  through.port = String(proxy.port);
  const place = { ...direct, databaseUrl: through.href };
  await run(`grant all on database ${name} to ${role}`);
  for (const schema of ["public", "drizzle"]) {
    await run(`grant all on schema ${schema} to ${role}`);
    await run(`grant all on all tables in schema ${schema} to ${role}`);
    await run(`grant all on all sequences in schema ${schema} to ${role}`);
  }
  const end = async (): Promise<void> => {
    await run(`drop owned by ${role}`);
    await run(`drop role ${role}`);
    await database.close();
    await proxy[Symbol.asyncDispose]();
    await direct[Symbol.asyncDispose]();
  };
  let server: Server;
  try {
    server = await startServer(place, settings);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    server,
    proxy,
    database,
    place,
    exhaustConnections: async () => {
      await run(`alter database ${name} connection limit 0`);
      await run(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
      return () => run(`alter database ${name} connection limit -1`);
    },
    [Symbol.asyncDispose]: async () => {
      await run(`alter database ${name} connection limit -1`);
      proxy.mend();
      try {
        await server[Symbol.asyncDispose]();
      } finally {
        await end();
      }
    },
  };
}
