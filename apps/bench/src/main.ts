import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import path from "node:path";
import { benchBudgets } from "./benchmarks/budgets.ts";
import { benchBystander } from "./benchmarks/bystander.ts";
import { benchCompaction } from "./benchmarks/compaction.ts";
import { benchConsole } from "./benchmarks/console.ts";
import { benchConsoleTasks } from "./benchmarks/console-tasks.ts";
import { benchCreate } from "./benchmarks/create.ts";
import { benchDocuments } from "./benchmarks/documents.ts";
import { benchDoors } from "./benchmarks/doors.ts";
import { benchFanout } from "./benchmarks/fanout.ts";
import { benchFirstToken } from "./benchmarks/first-token.ts";
import { benchInvoke } from "./benchmarks/invoke.ts";
import { benchPeer } from "./benchmarks/peer.ts";
import { benchPost } from "./benchmarks/post.ts";
import { benchRead } from "./benchmarks/read.ts";
import { benchRetrieval } from "./benchmarks/retrieval.ts";
import { benchRetrievalSize } from "./benchmarks/retrieval-size.ts";
import { benchScale } from "./benchmarks/scale.ts";
import { benchSearch } from "./benchmarks/search.ts";
import { benchSize } from "./benchmarks/size.ts";
import { benchSkills } from "./benchmarks/skills.ts";
import { benchStart } from "./benchmarks/start.ts";
import { benchTurn } from "./benchmarks/turn.ts";
import { readSettings } from "./config.ts";
import { type BenchmarkOptions, readCommandLine } from "./options.ts";
import { buildServer } from "./parley-server.ts";
import { type Benchmark, replaceBlock, runBenchmark } from "./report.ts";
import { openPostgres, type Postgres } from "./scratch-database.ts";
import { renderTable, type Row } from "./table.ts";

const page = path.join(import.meta.dirname, "../../../docs/benchmarks.md");
const PROGRESS_MS = 8000;

/** Those of `all`, in their order. */
const quickBenchmarks: Readonly<Record<string, Benchmark>> = {
  create: benchCreate,
  post: benchPost,
  invoke: benchInvoke,
  fanout: benchFanout,
  start: benchStart,
};
const fullBenchmarks: Readonly<Record<string, Benchmark>> = {
  ...quickBenchmarks,
  read: benchRead,
  skills: benchSkills,
  turn: benchTurn,
  "first-token": benchFirstToken,
  size: benchSize,
};

const benchmarks: Readonly<Record<string, Benchmark>> = {
  ...fullBenchmarks,
  budgets: benchBudgets,
  bystander: benchBystander,
  compaction: benchCompaction,
  console: benchConsole,
  "console-tasks": benchConsoleTasks,
  documents: benchDocuments,
  doors: benchDoors,
  peer: benchPeer,
  retrieval: benchRetrieval,
  "retrieval-size": benchRetrievalSize,
  scale: benchScale,
  search: benchSearch,
};

const USAGE = `Usage: pnpm bench <${["all", ...Object.keys(benchmarks).toSorted()].join(" | ")}> [options]

Measures the built server against floors, on this machine only, in databases of its own on the
PostgreSQL of DATABASE_URL, which are dropped at the end. Without DATABASE_URL, the server and the
floors share the PostgreSQL that Parley embeds, started for the run; what compares the two
databases is left out.

  all                 all results in one table: every benchmark but bystander, compaction,
                      console, doors, peer, retrieval, retrieval-size, scale and
                      search
  bystander           functions of a workspace beside a hundred hostile ones of another
  compaction          what a model still knows once the oldest messages of a long conversation
                      are summarised; see --model
  console             the page in Chromium: its size, its first click, and a long answer; needs
                      /usr/bin/chromium
  create              creates per second, on PostgreSQL and on the embedded database
  documents           answers of a workspace while another has hostile documents read
  doors               processor time of an answer's stream through each door, beside its events
  fanout              processor time, latency and memory of streams with many followers; beside
                      nginx with nchan if that is installed
  first-token         how long after the model's first word a follower has it, one turn alone
  invoke              invocations per second, with few and with a million that have ended
  peer                invocations per second beside Restate, which is installed for the run
  post                posts to conversations of 10 and of 1,000 messages
  read                processor time of reads and lists, beside a blocking create
  retrieval           how many of the first ten parts that a search of 10,000 documents finds
                      answer a question; quick: of a tenth
  retrieval-size      searches by words and by grams of a million parts, and by meaning of 20,000
                      vectors; quick: a twentieth and a tenth of it
  scale               creates, answers and deliveries of 1 and 2 APIs and workers, and what an
                      operation asks of PostgreSQL and Redis; needs DATABASE_URL and redis-server
  search              searches for the words of 200,000 messages, and how long indexing them takes;
                      quick: of a tenth
  size                operations on an almost empty database, and on one of ten million events,
                      for which 12 GiB must be free; quick: a tenth of it
  turn                processor time of 200 agent turns at once, beside the AI SDK alone
  start               how soon a server with an embedded database answers, and what both use idle
  skills              lists of 20 and of 1,000 skills, cached and rebuilt

Options:
  --seconds <n>       length of a sample, after its warm-up (default: 4, quick: 0.5)
  --quick             only what has a target, in five short samples each; all: within 5 minutes
  --model <name>      compaction: as in openai/gpt-5, with the settings of its provider in the
                      environment (default: simulated/simulated-1, which shows that it runs)
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

/**
 * Runs the benchmarks one after the other and prints their results in one table, which it writes into
 * the documentation on request. A benchmark that fails does not keep the others from running; then it
 * throws at the end.
 */
async function runAll(options: BenchmarkOptions): Promise<void> {
  const { quick, print, write } = options;
  const startedAt = performance.now();
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const [name, benchmark] of Object.entries(quick ? quickBenchmarks : fullBenchmarks)) {
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    print(`\n== ${name}, after ${seconds()} s\n`);
    const progress = setInterval(() => print(`… ${name}, ${seconds()} s\n`), PROGRESS_MS);
    try {
      // Stopped before the next one is measured.
      await using resources = options.resources.use(new AsyncDisposableStack());
      const results = await runBenchmark(benchmark, { ...options, resources });
      rows.push(...results.map((result) => ({ benchmark: name, ...result })));
    } catch (error) {
      if (options.resources.disposed) throw error;
      failures.push(`${name}: ${(error as Error).message}`);
    } finally {
      clearInterval(progress);
    }
  }
  const table = renderTable(rows);
  print(`\n${table}`);
  if (failures.length > 0) throw new Error(`Not all were measured:\n${failures.join("\n")}`);
  if (write) await writePage(options, table);
}

async function writePage({ quick, machine }: BenchmarkOptions, table: string): Promise<void> {
  const command = `pnpm bench all${quick ? " --quick" : ""} --write`;
  const block = `\`${command}\`: ${machine}.\n\n\`\`\`text\n${table}\`\`\``;
  await writeFile(page, replaceBlock(await readFile(page, "utf8"), block));
}

/** One line about where and when a benchmark ran. */
function describeMachine({ version, isEmbedded }: Postgres): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const [load = 0] = loadavg();
  return [
    new Date().toISOString(),
    `${availableParallelism()} cores (${model}), ${memory}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${version}${isEmbedded ? ", embedded" : ""}`,
    `load average ${load.toFixed(2)} before`,
  ].join("; ");
}

async function main(): Promise<void> {
  const print = (text: string) => void process.stdout.write(text);
  const commandLine = readCommandLine(process.argv.slice(2));
  const { name = "" } = commandLine;
  const benchmark = benchmarks[name];
  if (benchmark === undefined && name !== "all") throw new Error(`Name a benchmark.\n\n${USAGE}`);
  await using resources = new AsyncDisposableStack();
  const run = async (): Promise<void> => {
    const postgres = await openPostgres(resources, readSettings().DATABASE_URL);
    const machine = describeMachine(postgres);
    print(`${machine}\n`);
    await buildServer();
    const options = { ...commandLine, postgres, machine, resources, print };
    await (benchmark === undefined ? runAll(options) : runBenchmark(benchmark, options));
  };
  await Promise.race([run(), interruption()]);
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`bench: ${describe(error)}\n`);
  process.exit(error instanceof Interrupted ? 130 : 1);
}

/** What went wrong first, and what then went wrong at the end. */
function describe(error: unknown): string {
  if (!(error instanceof SuppressedError))
    return error instanceof Error ? error.message : String(error);
  return `${describe(error.suppressed)}; and at the end: ${describe(error.error)}`;
}
