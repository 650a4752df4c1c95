import { setTimeout as sleep } from "node:timers/promises";
import type { BenchmarkOptions } from "../options.ts";
import { makeDataDirectory, type ParleyServer, startParleyOn } from "../parley-server.ts";
import { readFamilyBytes } from "../resident-memory.ts";
import { median } from "../statistics.ts";
import { formatNumber, renderTable } from "../table.ts";

/** A server that nobody asks for so long is idle. */
const IDLE_MS = 10_000;
const MIB = 1024 * 1024;
const MAX_WARM_MS = 3000;

/** Measures how soon a server answers after its start, with nothing but an embedded database. */
export async function benchStart(options: BenchmarkOptions): Promise<void> {
  const { resources, rounds, print } = options;
  const first: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const directory = await makeDataDirectory(resources);
    first.push(await timeFirstAnswer(directory));
    warm.push(await timeFirstAnswer(directory));
    print(`round ${round + 1} of ${rounds}: measured\n`);
  }
  const server = await startParleyOn(resources, await makeDataDirectory(resources));
  await answer(server);
  await sleep(IDLE_MS);
  const idleMib = (await readFamilyBytes(server.pid)) / MIB;
  const row = (name: string, values: readonly number[], target = "") => ({
    measured: name,
    median: median(values),
    range: `${formatNumber(Math.min(...values))} … ${formatNumber(Math.max(...values))}`,
    target,
  });
  const isMet = median(warm) <= MAX_WARM_MS;
  print(
    `\n${renderTable([
      row("first start: ms to the first answer", first),
      row("warm start: ms to the first answer", warm, `at most 3000: ${isMet ? "met" : "MISSED"}`),
      row(
        "idle server and database, MiB",
        [idleMib],
        `at most 150: ${idleMib <= 150 ? "met" : "MISSED"}`,
      ),
    ])}`,
  );
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
