import type { Sample } from "../measure.ts";
import { answerRatio, processorMicros, type ResultRow, summarize } from "../report.ts";
import type { DatabaseSize } from "../size/database-size.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";

/** How an operation did on one of the databases. */
export interface MeasuredOperation {
  readonly operation: string;
  readonly database: DatabaseSize["name"];
  readonly samples: readonly Sample[];
}

/** The two tables of a run: what was measured, and the ratios. */
export function renderSizes(
  measured: readonly MeasuredOperation[],
  results: readonly ResultRow[],
): string {
  const rows = measured.map(({ operation, database, samples }) => ({
    operation,
    database,
    ...summarize(samples, "operations"),
  }));
  return `\n${renderTable(rows)}\n${renderTable(results)}`;
}

/** The ratios of a run: of each operation its time and its processor time, big over small. */
export function answerSizes(measured: readonly MeasuredOperation[]): ResultRow[] {
  const onSmall = measured.filter(({ database }) => database === "small");
  return onSmall.flatMap(({ operation, samples }) => {
    const onBig = measured.find((one) => one.database === "big" && one.operation === operation);
    const sides = { of: onBig?.samples ?? [], over: samples };
    return [
      answerRatio({
        ...sides,
        name: `big database over small, ${operation}: p50`,
        read: ({ p50Ms }) => p50Ms,
        target: targets.operationOnBigDatabase,
      }),
      answerRatio({
        ...sides,
        name: `big database over small, ${operation}: processor time of server and database`,
        read: processorMicros,
      }),
    ];
  });
}
