import { setTimeout as sleep } from "node:timers/promises";
import type { BenchmarkOptions } from "../options.ts";
import { makeDataDirectory, type ParleyServer, startParleyOn } from "../parley-server.ts";
import { answerFigure, type ResultRow } from "../report.ts";
import { countStatements, watchIdle } from "../start/idle-server.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";

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
export async function benchStart(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { resources, quick, print } = options;
  const rounds = quick ? QUICK_ROUNDS : options.rounds;
  const first: number[] = [];
  const warm: number[] = [];
  let directory = await makeDataDirectory(resources);
  for (let round = 0; round < rounds; round++) {
    if (round > 0 && !quick) directory = await makeDataDirectory(resources);
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
  const results = [
    answerFigure("first start: ms to the first answer", first),
    answerFigure("warm start: ms to the first answer", warm, targets.warmStartMs),
    answerFigure("idle server and database: % of a core", [corePercent], targets.idleCorePercent),
    answerFigure(
      "idle server: statements per second",
      [statementsPerSecond],
      targets.idleStatementsPerSecond,
    ),
    answerFigure("idle server and database: MiB", [mebibytes], targets.idleMebibytes),
  ];
  print(`\n${renderTable(results)}`);
  return results;
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
