import type { Sample } from "../measure.ts";
import {
  answerFigure,
  answerRatio,
  processorMicros,
  type RatioQuestion,
  type ResultRow,
  summarize,
} from "../report.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";

/** How one process invoked. */
export interface MeasuredInvocations {
  readonly name: string;
  /** Whether the function has code, rather than a simulated result. */
  readonly hasCode: boolean;
  /** Invocations that had ended before; none for the floor. */
  readonly ended: number | undefined;
  readonly connections: 1 | 16;
  readonly samples: readonly Sample[];
}

/** The two tables of a run: what was measured, and the ratios. */
export function renderInvocations(
  measured: readonly MeasuredInvocations[],
  results: readonly ResultRow[],
): string {
  const rows = measured.map(({ name, ended, connections, samples }) => ({
    connections,
    process: name,
    "ended before": ended?.toLocaleString("en") ?? "",
    ...summarize(samples, "invocations"),
  }));
  return `\n${renderTable(rows)}\n${renderTable(results)}`;
}

/** The ratios of a run, as far as both sides were measured. */
export function answerInvocations(
  measured: readonly MeasuredInvocations[],
  coldMs: number,
): ResultRow[] {
  return [
    ...askRatios(measured)
      .filter(({ of, over }) => of.length > 0 && over.length > 0)
      .map((question) => answerRatio(question)),
    answerFigure(
      "p50 of code beyond that of simulated ones, 1 connection: ms",
      findDelays(measured),
      targets.codeBeyondSimulatedMs,
    ),
    answerFigure("first invocation of code, before any process of it: ms", [coldMs]),
  ];
}

/** How much longer code takes in each pair of samples, in milliseconds. */
function findDelays(measured: readonly MeasuredInvocations[]): number[] {
  const alone = measured.filter(({ connections, ended }) => connections === 1 && ended === 100);
  const simulated = alone.find(({ hasCode }) => !hasCode)?.samples ?? [];
  const code = alone.find(({ hasCode }) => hasCode)?.samples ?? [];
  return code.map(({ p50Ms }, index) => p50Ms - (simulated[index]?.p50Ms ?? Number.NaN));
}

function askRatios(measured: readonly MeasuredInvocations[]): RatioQuestion<Sample>[] {
  const find = (connections: 1 | 16, ended: number | undefined, hasCode = false) =>
    measured.find(
      (one) => one.connections === connections && one.ended === ended && one.hasCode === hasCode,
    )?.samples ?? [];
  const overFloor = (connections: 1 | 16) => ({
    of: find(connections, 100),
    over: find(connections, undefined),
  });
  return [
    {
      name: "invocations/s of code over simulated ones, 16 connections",
      of: find(16, 100, true),
      over: find(16, 100),
      read: ({ perSecond }) => perSecond,
      target: targets.codeOverSimulated,
    },
    {
      name: "invocations/s over the floor's, 16 connections",
      ...overFloor(16),
      read: ({ perSecond }) => perSecond,
      target: targets.invocationsOverFloor,
    },
    {
      name: "invocations/s over the floor's, 1 connection",
      ...overFloor(1),
      read: ({ perSecond }) => perSecond,
      target: targets.invocationsOverFloorAlone,
    },
    {
      name: "1,000,000 ended over 100: processor time of an invocation, 16 connections",
      of: find(16, 1_000_000),
      over: find(16, 100),
      read: processorMicros,
      target: targets.invocationAfterMillion,
    },
    {
      name: "1,000,000 ended over 100: p50, 16 connections",
      of: find(16, 1_000_000),
      over: find(16, 100),
      read: ({ p50Ms }) => p50Ms,
      target: targets.invocationAfterMillion,
    },
  ];
}
