import type { Sample } from "./measure.ts";
import { median, pairedRatio } from "./statistics.ts";
import { formatNumber, type Row } from "./table.ts";

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

/** A ratio that was asked for, with what it is held to. */
export interface RatioQuestion<S> {
  readonly name: string;
  readonly of: readonly S[];
  readonly over: readonly S[];
  readonly read: (sample: S) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One row per ratio: the median of the pairs, their range, and whether it is as it should be. */
export function answerRatio<S>(question: RatioQuestion<S>): Row {
  const { name, of, over, read, atLeast, atMost } = question;
  const ratio = pairedRatio(of.map(read), over.map(read));
  const missed = ratio.median < (atLeast ?? 0) || ratio.median > (atMost ?? Number.MAX_VALUE);
  const target =
    atLeast === undefined ? atMost !== undefined && `at most ${atMost}` : `at least ${atLeast}`;
  return {
    ratio: name,
    median: ratio.median,
    range: `${formatNumber(ratio.lowest)} … ${formatNumber(ratio.highest)}`,
    target: target ? `${target}: ${missed ? "MISSED" : "met"}` : "",
  };
}
