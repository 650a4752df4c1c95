import { parseArgs } from "node:util";
import type { LoadPlan } from "./load/plan.ts";
import type { Postgres } from "./scratch-database.ts";

/** What the command line says. */
export interface CommandLine {
  /** Name of the benchmark. */
  readonly name: string | undefined;
  /** Whether only what has a target is measured, in short samples. */
  readonly quick: boolean;
  /** Length of a sample, after its warm-up. */
  readonly seconds: number;
  /** How often each sample is taken. */
  readonly rounds: number;
  /** File of a floor to measure beside our own. */
  readonly reference: string | undefined;
  /** The model that is asked, after its provider and a slash. */
  readonly model: string;
  /** Whether the results replace those of the documentation. */
  readonly write: boolean;
}

/** What a benchmark is given. */
export interface BenchmarkOptions extends CommandLine {
  readonly postgres: Postgres;
  /** Where and when it runs, in one line. */
  readonly machine: string;
  /** Everything that the benchmark starts or makes is given back with these. */
  readonly resources: AsyncDisposableStack;
  readonly print: (text: string) => void;
}

const WARM_UP_MS = 1000;
/** Of a quick run: code that is not compiled yet would slow most of its first sample, and the second. */
const FIRST_WARM_UP_MS = 1500;
/** Of the samples after that: only connections are left to open. */
const LATER_WARM_UP_MS = 250;
const ROUNDS = 5;

export type SampleTimes = Pick<LoadPlan, "warmUpMs" | "windowMs">;

/** How long a sample of a round is, and its warm-up. */
export function sampleTimes({ quick, seconds }: CommandLine, round: number): SampleTimes {
  const quickWarmUpMs = round === 0 ? FIRST_WARM_UP_MS : LATER_WARM_UP_MS;
  return { warmUpMs: quick ? quickWarmUpMs : WARM_UP_MS, windowMs: seconds * 1000 };
}

/** Reads the command line. Throws on what it does not know. */
export function readCommandLine(words: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      reference: { type: "string" },
      model: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const { quick, reference, write, model = "simulated/simulated-1" } = values;
  const seconds = Number(values.seconds ?? (quick ? 0.5 : 4));
  if (!(seconds > 0 && seconds <= 600)) {
    throw new Error(`--seconds must be a number up to 600, not ${values.seconds}`);
  }
  const [name] = positionals;
  if (positionals.length > 1) throw new Error(`One benchmark at a time: ${positionals.join(" ")}`);
  if (write && name !== "all") throw new Error("--write is for `bench all`");
  if (values.model !== undefined && name !== "compaction") {
    throw new Error("--model is for `bench compaction`");
  }
  if (!/^[^/]+\/./.test(model)) {
    throw new Error(`--model must be <provider>/<model>, such as openai/gpt-5, not ${model}`);
  }
  return { name, quick, seconds, rounds: ROUNDS, reference, model, write };
}
