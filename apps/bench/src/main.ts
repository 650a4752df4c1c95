import { benchCreate } from "./benchmarks/create.ts";
import { benchFanout } from "./benchmarks/fanout.ts";
import { benchInvoke } from "./benchmarks/invoke.ts";
import { benchScale } from "./benchmarks/scale.ts";
import { benchSkills } from "./benchmarks/skills.ts";
import { benchStart } from "./benchmarks/start.ts";
import { benchTurn } from "./benchmarks/turn.ts";
import { readSettings } from "./config.ts";
import { describeMachine } from "./machine.ts";
import { type BenchmarkOptions, readCommandLine } from "./options.ts";
import { buildServer } from "./parley-server.ts";
import { connectPostgres } from "./scratch-database.ts";

type Benchmark = (options: BenchmarkOptions) => Promise<void>;

const benchmarks: Readonly<Record<string, Benchmark>> = {
  create: benchCreate,
  fanout: benchFanout,
  invoke: benchInvoke,
  scale: benchScale,
  skills: benchSkills,
  start: benchStart,
  turn: benchTurn,
};

const USAGE = `Usage: pnpm bench <${Object.keys(benchmarks).join(" | ")}> [options]

Measures the built server against floors, on this machine only. PostgreSQL is measured where
DATABASE_URL is set, in databases of its own that are dropped at the end.

  create              creates per second, on the embedded database and on PostgreSQL
  fanout              processor time, latency and memory of streams with many followers; beside
                      nginx with nchan where that is installed
  invoke              invocations per second, with few and with a million that have ended; needs
                      PostgreSQL
  scale               creates, answers and deliveries of 1 and 2 APIs and workers, and what an
                      operation asks of PostgreSQL and Redis; needs both
  turn                processor time of 200 agent turns at once, beside the AI SDK alone
  start               how soon a server with an embedded database answers, and the memory of both
  skills              lists of 20 and of 1,000 skills, kept and made anew; needs PostgreSQL

Options:
  --seconds <n>       length of a sample, after a warm-up of 1 s (default: 4)
  --quick             one sample of 1 s each instead of five
  --reference <file>  measure this floor beside our own, to compare the two
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
    const { DATABASE_URL: url } = readSettings();
    const postgres = url === undefined ? undefined : await connectPostgres(resources, url);
    print(`${describeMachine(postgres?.version)}\n`);
    await buildServer();
    await benchmark({ ...commandLine, postgres, resources, print });
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
