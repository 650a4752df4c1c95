import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { startEmbedded } from "@parley/db";
import pg from "pg";
import { makeDirectory } from "./child-process.ts";

/** A database that exists for one run. */
export interface ScratchDatabase {
  readonly url: string;
  /** Process ids of its backends, as far as they run on this machine. */
  backends(): Promise<number[]>;
}

/** A PostgreSQL server to make scratch databases on. */
export interface Postgres {
  readonly version: string;
  /** Whether it is the one that Parley embeds, started for the run. */
  readonly isEmbedded: boolean;
  /** Makes a database that is dropped with `resources`. */
  createDatabase(resources: AsyncDisposableStack, purpose: string): Promise<ScratchDatabase>;
}

/** Parley's servers and the floors have 16 connections each, and a few run at once. */
const CONNECTIONS = 150;

/** Connects to PostgreSQL until `resources` are given back: at the url, or to one of its own. */
export async function openPostgres(
  resources: AsyncDisposableStack,
  url: string | undefined,
): Promise<Postgres> {
  if (url !== undefined) return connectPostgres(resources, url);
  const directory = await makeDirectory(resources);
  const server = await startEmbedded(directory, { connections: CONNECTIONS });
  resources.defer(() => server.stop());
  return { ...(await connectPostgres(resources, server.url)), isEmbedded: true };
}

/** Opens a connection until `resources` are given back. */
export async function openClient(resources: AsyncDisposableStack, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: "parley-bench" });
  client.on("error", () => {});
  resources.defer(() => client.end());
  await client.connect();
  return client;
}

async function connectPostgres(resources: AsyncDisposableStack, url: string): Promise<Postgres> {
  const client = await openClient(resources, url);
  const versions = await client.query<{ server_version: string }>("show server_version");
  return {
    version: versions.rows[0]?.server_version ?? "",
    isEmbedded: false,
    createDatabase: async (lifetime, purpose) => {
      const name = `parley_bench_${purpose}_${randomBytes(4).toString("hex")}`;
      lifetime.defer(async () => {
        await client.query(`drop database if exists ${name} with (force)`);
      });
      await client.query(`create database ${name}`);
      const scratch = new URL(url);
      scratch.pathname = `/${name}`;
      return { url: scratch.href, backends: () => findBackends(client, name) };
    },
  };
}

async function findBackends(client: pg.Client, database: string): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = $1",
    [database],
  );
  const local = await Promise.all(
    rows.map(async ({ pid }) => ((await isPostgres(pid)) ? [pid] : [])),
  );
  return local.flat();
}

/** The server may run elsewhere, where its ids mean other processes. */
async function isPostgres(pid: number): Promise<boolean> {
  const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "");
  return name.startsWith("postgres");
}

/** Does what the writing has left to do, so that it is not done while samples are taken. */
export async function settleDatabase(client: pg.Client): Promise<void> {
  await client.query("vacuum analyze");
  await client.query("checkpoint");
}
