import { benchAll } from "./benchmarks/all.ts";
import { benchBystander } from "./benchmarks/bystander.ts";
import { benchConsole } from "./benchmarks/console.ts";
import { benchCreate } from "./benchmarks/create.ts";
import { benchFanout } from "./benchmarks/fanout.ts";
import { benchFirstToken } from "./benchmarks/first-token.ts";
import { benchInvoke } from "./benchmarks/invoke.ts";
import { benchPeer } from "./benchmarks/peer.ts";
import { benchPost } from "./benchmarks/post.ts";
import { benchRead } from "./benchmarks/read.ts";
import { benchScale } from "./benchmarks/scale.ts";
import { benchSize } from "./benchmarks/size.ts";
import { benchSkills } from "./benchmarks/skills.ts";
import { benchStart } from "./benchmarks/start.ts";
import { benchTurn } from "./benchmarks/turn.ts";
import { readSettings } from "./config.ts";
import { describeMachine } from "./machine.ts";
import { type BenchmarkOptions, readCommandLine } from "./options.ts";
import { buildServer } from "./parley-server.ts";
import type { ResultRow } from "./report.ts";
import { openPostgres } from "./scratch-database.ts";

type Benchmark = (options: BenchmarkOptions) => Promise<ResultRow[]>;

const benchmarks: Readonly<Record<string, Benchmark>> = {
  all: benchAll,
  bystander: benchBystander,
  console: benchConsole,
  create: benchCreate,
  fanout: benchFanout,
  invoke: benchInvoke,
  peer: benchPeer,
  post: benchPost,
  read: benchRead,
  scale: benchScale,
  size: benchSize,
  skills: benchSkills,
  start: benchStart,
  turn: benchTurn,
  "first-token": benchFirstToken,
};

const USAGE = `Usage: pnpm bench <${Object.keys(benchmarks).join(" | ")}> [options]

Measures the built server against floors, on this machine only, in databases of its own on the
PostgreSQL of DATABASE_URL, which are dropped at the end. Without DATABASE_URL, the server and the
floors share the PostgreSQL that Parley embeds, started for the run; what compares the two
databases is left out.

  all                 all results in one table: every benchmark but peer and scale
  bystander           functions of a workspace beside a hundred hostile ones of another
  console             the page in Chromium: its size, its first click, and a long answer; needs
                      /usr/bin/chromium
  create              creates per second, on PostgreSQL and on the embedded database
  fanout              processor time, latency and memory of streams with many followers; beside
                      nginx with nchan where that is installed
  first-token         how long after the model's first word a follower has it, one turn alone
  invoke              invocations per second, with few and with a million that have ended
  peer                invocations per second beside Restate, which is installed for the run
  post                posts to conversations of 10 and of 1,000 messages
  read                processor time of reads and lists, beside a blocking create
  scale               creates, answers and deliveries of 1 and 2 APIs and workers, and what an
                      operation asks of PostgreSQL and Redis; needs DATABASE_URL and redis-server
  size                operations on an almost empty database, and on one of ten million events,
                      for which 12 GiB must be free; quick: a tenth of it
  turn                processor time of 200 agent turns at once, beside the AI SDK alone
  start               how soon a server with an embedded database answers, and what both use idle
  skills              lists of 20 and of 1,000 skills, kept and made anew

Options:
  --seconds <n>       length of a sample, after its warm-up (default: 4, quick: 0.5)
  --quick             only what has a target, in five short samples each; all: within 5 minutes
  --reference <file>  measure this floor beside our own, to compare the two
  --write             all: replace the table in docs/benchmarks.md
`;

class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Rejects at the first signal to stop; later ones do not disturb the cleaning up. */
function interruption(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => reject(new Interrupted(`Stopped by ${signal}`)));
  }
  return promise;
}

async function main(): Promise<void> {
  const print = (text: string) => void process.stdout.write(text);
  const commandLine = readCommandLine(process.argv.slice(2));
  const benchmark = benchmarks[commandLine.name ?? ""];
  if (benchmark === undefined) throw new Error(`Name a benchmark.\n\n${USAGE}`);
  await using resources = new AsyncDisposableStack();
  const run = async (): Promise<void> => {
    const postgres = await openPostgres(resources, readSettings().DATABASE_URL);
    const machine = describeMachine(postgres);
    print(`${machine}\n`);
    await buildServer();
    await benchmark({ ...commandLine, postgres, machine, resources, print });
  };
  await Promise.race([run(), interruption()]);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exit(error instanceof Interrupted ? 130 : 1);
}
