import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { replaceBlock } from "../docs-block.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { ResultRow } from "../report.ts";
import { renderTable, type Row } from "../table.ts";
import { benchCreate } from "./create.ts";
import { benchFanout } from "./fanout.ts";
import { benchFirstToken } from "./first-token.ts";
import { benchInvoke } from "./invoke.ts";
import { benchPost } from "./post.ts";
import { benchRead } from "./read.ts";
import { benchSize } from "./size.ts";
import { benchSkills } from "./skills.ts";
import { benchStart } from "./start.ts";
import { benchTurn } from "./turn.ts";

const page = path.join(import.meta.dirname, "../../../../docs/benchmarks.md");
const PROGRESS_MS = 8000;

type Benchmark = (options: BenchmarkOptions) => Promise<ResultRow[]>;

const quickBenchmarks: Readonly<Record<string, Benchmark>> = {
  create: benchCreate,
  post: benchPost,
  invoke: benchInvoke,
  fanout: benchFanout,
  start: benchStart,
};
const allBenchmarks = {
  ...quickBenchmarks,
  read: benchRead,
  skills: benchSkills,
  turn: benchTurn,
  "first-token": benchFirstToken,
  size: benchSize,
};

/**
 * Runs the benchmarks one after the other and prints their results in one table, which it writes into
 * the documentation on request. A benchmark that fails does not keep the others from running; then it
 * throws at the end.
 */
export async function benchAll(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { quick, print, write } = options;
  const startedAt = performance.now();
  const rows: (ResultRow & Row)[] = [];
  const failures: string[] = [];
  for (const [name, benchmark] of Object.entries(quick ? quickBenchmarks : allBenchmarks)) {
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    print(`\n== ${name}, after ${seconds()} s\n`);
    const progress = setInterval(() => print(`… ${name}, ${seconds()} s\n`), PROGRESS_MS);
    try {
      // Stopped before the next one is measured.
      await using resources = options.resources.use(new AsyncDisposableStack());
      const results = await benchmark({ ...options, resources });
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
  return rows;
}

async function writePage({ quick, machine }: BenchmarkOptions, table: string): Promise<void> {
  const command = `pnpm bench all${quick ? " --quick" : ""} --write`;
  const block = `\`${command}\`: ${machine}.\n\n\`\`\`text\n${table}\`\`\``;
  await writeFile(page, replaceBlock(await readFile(page, "utf8"), block));
}
