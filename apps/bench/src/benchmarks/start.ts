import { appendFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readEmbeddedUrl } from "@parley/db";
import type pg from "pg";
import { makeDirectory } from "../child-process.ts";
import type { BenchmarkOptions } from "../options.ts";
import { type ParleyServer, startParleyOn } from "../parley-server.ts";
import { readFamilyBytes, readFamilyCpuMs } from "../proc.ts";
import type { Findings } from "../report.ts";
import { openClient } from "../scratch-database.ts";

/** A server that nobody asks for so long is idle. */
const SETTLE_MS = 10_000;
/** Some work comes once a minute, as that of PostgreSQL's autovacuum; half a minute may miss it. */
const WATCH_MS = 60_000;
const QUICK_WATCH_MS = 30_000;
const QUICK_ROUNDS = 3;

/**
 * Measures how soon a server answers after its start, with nothing but an embedded database, and what
 * both use when idle.
 */
export async function benchStart(options: BenchmarkOptions): Promise<Findings> {
  const { resources, quick, print } = options;
  const rounds = quick ? QUICK_ROUNDS : options.rounds;
  const first: number[] = [];
  const warm: number[] = [];
  let directory = await makeDirectory(resources);
  for (let round = 0; round < rounds; round++) {
    if (round > 0 && !quick) directory = await makeDirectory(resources);
    if (round === 0 || !quick) first.push(await timeFirstAnswer(directory));
    warm.push(await timeFirstAnswer(directory));
    print(`round ${round + 1} of ${rounds}: measured\n`);
  }
  await countStatements(directory);
  const server = await startParleyOn(resources, directory);
  await answer(server);
  await sleep(SETTLE_MS);
  const idle = await watchIdle({ pid: server.pid, directory }, quick ? QUICK_WATCH_MS : WATCH_MS);
  const { corePercent, statementsPerSecond, mebibytes } = idle;
  const questions = [
    { name: "first start: ms to the first answer", of: first },
    { name: "warm start: ms to the first answer", of: warm, target: { atMost: 1500 } },
    {
      name: "idle server and database: % of a core",
      of: [corePercent],
      target: { below: 0.5 },
    },
    {
      name: "idle server: statements per second",
      of: [statementsPerSecond],
      target: { atMost: 2 },
    },
    { name: "idle server and database: MiB", of: [mebibytes], target: { below: 200 } },
  ];
  return { questions };
}

/** Starts a server, gets an answer of an agent's, and stops it; gives how long the answer took. */
async function timeFirstAnswer(directory: string): Promise<number> {
  await using resources = new AsyncDisposableStack();
  const startedAt = performance.now();
  await answer(await startParleyOn(resources, directory));
  return performance.now() - startedAt;
}

async function answer({ demo }: ParleyServer): Promise<void> {
  const url = `${demo.url}/api/v1/w/${demo.workspaceId}/assistant/conversations`;
  const message = { content: "Are you there?", mentions: [{ configurationId: "helper" }] };
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ message, blocking: true }),
  });
  const text = await response.text();
  if (!text.includes('"status":"succeeded"')) throw new Error(`No answer: ${text}`);
}

/** What a server and its embedded database use when nobody asks for anything. */
interface IdleUse {
  readonly corePercent: number;
  readonly statementsPerSecond: number;
  readonly mebibytes: number;
}

/** Lets the embedded database of a data directory count statements, from its next start. */
async function countStatements(directory: string): Promise<void> {
  const settings = "shared_preload_libraries = 'pg_stat_statements'\n";
  await appendFile(path.join(directory, "postgresql/postgresql.conf"), settings);
}

/** Watches the server of such a directory for so long. */
async function watchIdle(
  { pid, directory }: { readonly pid: number; readonly directory: string },
  windowMs: number,
): Promise<IdleUse> {
  // Before there is a connection of ours.
  const mebibytes = (await readFamilyBytes(pid)) / 2 ** 20;
  const url = await readEmbeddedUrl(directory);
  if (url === undefined) throw new Error(`No database runs in ${directory}`);
  await using resources = new AsyncDisposableStack();
  const client = await openClient(resources, url);
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
