import type { Sample } from "./measure.ts";
import { median, pairedRatio, type Spread, spreadOf } from "./statistics.ts";
import { formatNumber, type Row } from "./table.ts";
import { describeTarget, meetsTarget, type Target } from "./targets.ts";

/** The medians of a subject's samples as columns of a table. */
export function summarize(samples: readonly Sample[], unit: string): Row {
  const middle = (read: (sample: Sample) => number | undefined) =>
    median(samples.map((sample) => read(sample) ?? Number.NaN));
  return {
    [`${unit}/s`]: middle((sample) => sample.perSecond),
    "p50 ms": middle((sample) => sample.p50Ms),
    "p99 ms": middle((sample) => sample.p99Ms),
    "server µs": middle((sample) => sample.cpuMicros.server),
    "database µs": middle((sample) => sample.cpuMicros.database),
    "load µs": middle((sample) => sample.cpuMicros.load),
    "others, cores": middle((sample) => sample.othersShare),
    "drain ms": middle((sample) => sample.drainMs),
  };
}

/** Processor time of the server and its database per answer, in microseconds. */
export function processorMicros({ cpuMicros: { server, database = 0 } }: Sample): number {
  return server + database;
}

/** A row of the table of results: a ratio or a figure, and whether it is within its target. */
export interface ResultRow extends Row {
  readonly measured: string;
  readonly median: number;
  readonly range: string;
  readonly target: string;
  readonly outcome: "met" | "MISSED" | "";
}

/** A ratio that was asked for, with its target. */
export interface RatioQuestion<S> {
  readonly name: string;
  readonly of: readonly S[];
  readonly over: readonly S[];
  readonly read: (sample: S) => number;
  readonly target?: Target | undefined;
}

/** The row of a ratio: the median of the pairs, and their range. */
export function answerRatio<S>(question: RatioQuestion<S>): ResultRow {
  const { name, of, over, read, target } = question;
  return toResult(name, pairedRatio(of.map(read), over.map(read)), target);
}

/** The row of a figure that was measured several times. */
export function answerFigure(name: string, values: readonly number[], target?: Target): ResultRow {
  return toResult(name, spreadOf(values), target);
}

function toResult(measured: string, spread: Spread, target?: Target): ResultRow {
  const { median: middle, lowest, highest } = spread;
  return {
    measured,
    median: middle,
    range: `${formatNumber(lowest)} … ${formatNumber(highest)}`,
    target: describeTarget(target ?? {}),
    outcome: target === undefined ? "" : meetsTarget(middle, target) ? "met" : "MISSED",
  };
}
