import { startLoadGenerator } from "../load/load-generator.ts";
import { measureLanes } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { ResultRow } from "../report.ts";
import { big, quickBig, small } from "../size/database-size.ts";
import { loadOfRound, operations } from "../size/operations.ts";
import { startSizedServer } from "../size/sized-server.ts";
import { answerSizes, type MeasuredOperation, renderSizes } from "./size-report.ts";

/** Measures operations on an almost empty database, and on one of ten million events. */
export async function benchSize(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { resources, rounds, quick, print } = options;
  const servers = [
    await startSizedServer(options, quick ? quickBig : big),
    await startSizedServer(options, small),
  ];
  const generator = startLoadGenerator(resources);
  const measured: MeasuredOperation[] = [];
  for (const operation of operations) {
    const lanes = servers.map((server) => ({
      subject: server.subject,
      generator,
      loadOf: (round: number) => loadOfRound(server, operation, { round, rounds }),
    }));
    const samples = await measureLanes(options, lanes);
    for (const [index, { size }] of servers.entries()) {
      measured.push({
        operation: operation.name,
        database: size.name,
        samples: samples[index] ?? [],
      });
    }
    print(`${operation.name}: measured\n`);
  }
  const results = answerSizes(measured);
  print(renderSizes(measured, results));
  return results;
}
