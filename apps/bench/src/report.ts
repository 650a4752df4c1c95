import type { BenchmarkOptions } from "./options.ts";
import { pairedRatio, spreadOf } from "./statistics.ts";
import { formatNumber, renderTable, type Row } from "./table.ts";

/** The bound that a median is held to. */
export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly below?: number;
}

/** The bound in words; empty without one. */
export function describeTarget({ atLeast, atMost, below }: Target): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  if (atMost !== undefined) return `at most ${atMost}`;
  return below === undefined ? "" : `below ${below}`;
}

/** Whether a value is within the bound; NaN never is. */
export function meetsTarget(value: number, { atLeast, atMost, below }: Target): boolean {
  return (
    value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) && value < (below ?? Infinity)
  );
}

const BEGIN = "<!-- bench all: begin -->";
const END = "<!-- bench all: end -->";

/** Replaces what is between the marks of a page. Throws unless each mark is there once, in order. */
export function replaceBlock(page: string, content: string): string {
  const [before, rest, ...furtherBegins] = page.split(BEGIN);
  const [replaced, after, ...furtherEnds] = rest?.split(END) ?? [];
  const areTwice = furtherBegins.length > 0 || furtherEnds.length > 0;
  if (replaced === undefined || after === undefined || areTwice) {
    throw new Error(`The page must have one block from ${BEGIN} to ${END}`);
  }
  return `${before}${BEGIN}\n\n${content.trim()}\n\n${END}${after}`;
}

/** What is asked of measurements: a figure, or the ratio of values to those of their pairs. */
export interface Question {
  readonly name: string;
  readonly of: readonly number[];
  readonly over?: readonly number[];
  readonly target?: Target | undefined;
}

/** What a benchmark has measured, and what it was measured for. */
export interface Findings {
  readonly tables?: readonly (readonly Row[])[];
  readonly questions: readonly Question[];
}

export type Benchmark = (options: BenchmarkOptions) => Promise<Findings>;

/** A row of the table of results: a ratio or a figure, and whether it is within its target. */
export interface ResultRow extends Row {
  readonly measured: string;
  readonly median: number;
  readonly range: string;
  readonly target: string;
  readonly outcome: "met" | "MISSED" | "";
}

/** Asks for the ratio of what is read of two rows of samples. */
export function ratio<S>(
  name: string,
  { of, over }: { readonly of: readonly S[]; readonly over: readonly S[] },
  { read, target }: { readonly read: (sample: S) => number; readonly target?: Target | undefined },
): Question {
  return { name, of: of.map(read), over: over.map(read), target };
}

/** Runs a benchmark, and prints its tables and the answers to its questions, which it gives. */
export async function runBenchmark(
  benchmark: Benchmark,
  options: BenchmarkOptions,
): Promise<ResultRow[]> {
  const { tables = [], questions } = await benchmark(options);
  // Not every run measures both sides of every question.
  const results = questions
    .filter(({ of, over }) => of.length > 0 && over?.length !== 0)
    .map(answer);
  const printed = [...tables, results].filter((rows) => rows.length > 0);
  options.print(printed.map((rows) => `\n${renderTable(rows)}`).join(""));
  return results;
}

/** The median of the values or of their ratios, and their range. */
function answer({ name, of, over, target }: Question): ResultRow {
  const { median, lowest, highest } = over === undefined ? spreadOf(of) : pairedRatio(of, over);
  return {
    measured: name,
    median,
    range: `${formatNumber(lowest)} … ${formatNumber(highest)}`,
    target: describeTarget(target ?? {}),
    outcome: target === undefined ? "" : meetsTarget(median, target) ? "met" : "MISSED",
  };
}
