import { appendFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readEmbeddedUrl } from "@parley/db";
import pg from "pg";
import { readFamilyBytes, readFamilyCpuMs } from "../process-family.ts";

/** What a server and its embedded database use when nobody asks for anything. */
export interface IdleUse {
  readonly corePercent: number;
  readonly statementsPerSecond: number;
  readonly mebibytes: number;
}

/** Lets the embedded database of a data directory count statements, from its next start. */
export async function countStatements(directory: string): Promise<void> {
  const settings = "shared_preload_libraries = 'pg_stat_statements'\n";
  await appendFile(path.join(directory, "postgresql/postgresql.conf"), settings);
}

/** Watches the server of such a directory for so long. */
export async function watchIdle(
  { pid, directory }: { readonly pid: number; readonly directory: string },
  windowMs: number,
): Promise<IdleUse> {
  // Before there is a connection of ours.
  const mebibytes = (await readFamilyBytes(pid)) / 2 ** 20;
  const client = new pg.Client({ connectionString: await readEmbeddedUrl(directory) });
  await client.connect();
  try {
    await client.query("create extension if not exists pg_stat_statements");
    const before = await readCounts(client, pid);
    await sleep(windowMs);
    const after = await readCounts(client, pid);
    const elapsedMs = after.at - before.at;
    return {
      corePercent: ((after.cpuMs - before.cpuMs) / elapsedMs) * 100,
      statementsPerSecond: (after.statements - before.statements) / (elapsedMs / 1000),
      mebibytes,
    };
  } finally {
    await client.end();
  }
}

async function readCounts(client: pg.Client, pid: number) {
  const { rows } = await client.query<{ calls: string }>(
    "select sum(calls) as calls from pg_stat_statements where query !~ 'pg_stat_statements'",
  );
  return {
    at: performance.now(),
    statements: Number(rows[0]?.calls),
    cpuMs: await readFamilyCpuMs(pid),
  };
}
