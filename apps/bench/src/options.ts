import { parseArgs } from "node:util";
import type { Postgres } from "./scratch-database.ts";

/** What the command line says. */
export interface CommandLine {
  /** Name of the benchmark. */
  readonly name: string | undefined;
  /** Length of a sample, after its warm-up. */
  readonly seconds: number;
  /** How often each sample is taken. */
  readonly rounds: number;
  /** File of a floor to measure beside our own. */
  readonly reference: string | undefined;
}

/** What a benchmark is given. */
export interface BenchmarkOptions extends CommandLine {
  readonly postgres: Postgres | undefined;
  /** Everything that the benchmark starts or makes is given back with these. */
  readonly resources: AsyncDisposableStack;
  readonly print: (text: string) => void;
}

/** Warm-up before each sample: connections open, and code gets compiled. */
export const WARM_UP_MS = 1000;

/** Reads the command line. Throws on what it does not know. */
export function readCommandLine(words: string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      reference: { type: "string" },
    },
  });
  const seconds = Number(values.seconds ?? (values.quick ? 1 : 4));
  if (!(seconds > 0 && seconds <= 600)) {
    throw new Error(`--seconds must be a number up to 600, not ${values.seconds}`);
  }
  if (positionals.length > 1) throw new Error(`One benchmark at a time: ${positionals.join(" ")}`);
  return {
    name: positionals[0],
    seconds,
    rounds: values.quick ? 1 : 5,
    reference: values.reference,
  };
}
