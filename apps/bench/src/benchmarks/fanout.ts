import { startFollowerGenerator } from "../fanout/follower-generator.ts";
import { nchanIsMissing } from "../fanout/nchan.ts";
import { parleyServer } from "../fanout/parley-subject.ts";
import { postedShape, quickShapes, shapes } from "../fanout/shapes.ts";
import { floor, nchan, postedFloor, referenceFloor } from "../fanout/subjects.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { ResultRow } from "../report.ts";
import { measureIdle } from "./fanout-idle.ts";
import { type Measured, measureShape } from "./fanout-lanes.ts";
import { answerFanoutRatios } from "./fanout-ratios.ts";
import { renderFanout } from "./fanout-report.ts";

/** Measures what followers cost, beside the floor and, where they are there, beside others. */
export async function benchFanout(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, quick, reference, resources, print } = options;
  const generator = await startFollowerGenerator(resources);
  if (!generator.isPinned)
    print("The processes share the cores: there is no second, or no taskset\n");
  const parley = await parleyServer(resources, await postgres.createDatabase(resources, "fanout"));
  const servers = [parley, floor];
  const missing = quick ? "it has no target" : await nchanIsMissing();
  if (missing === undefined) servers.push(nchan);
  else print(`nginx with nchan: skipped, for ${missing}\n`);
  const measured: Measured[] = [];
  for (const shape of quick ? quickShapes : shapes) {
    measured.push(...(await measureShape(options, generator, { shape, servers })));
    print(`${shape.name}: measured\n`);
  }
  if (reference !== undefined) {
    const floors = { shape: postedShape, servers: [postedFloor, referenceFloor(reference)] };
    measured.push(...(await measureShape(options, generator, floors)));
  }
  const idle = await measureIdle(options, generator, servers);
  const results = answerFanoutRatios(measured, idle);
  print(renderFanout(measured, idle, results));
  return results;
}
