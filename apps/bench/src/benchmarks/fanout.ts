import { startFollowerGenerator } from "../fanout/follower-generator.ts";
import { nchanIsMissing } from "../fanout/nchan.ts";
import { parleyServer } from "../fanout/parley-subject.ts";
import { postedShape, shapes } from "../fanout/shapes.ts";
import { floor, nchan, postedFloor, referenceFloor } from "../fanout/subjects.ts";
import type { BenchmarkOptions } from "../options.ts";
import { measureIdle } from "./fanout-idle.ts";
import { type Measured, measureShape } from "./fanout-lanes.ts";
import { renderFanout } from "./fanout-report.ts";

/** Measures what followers cost, beside the floor and, where they are there, beside others. */
export async function benchFanout(options: BenchmarkOptions): Promise<void> {
  const { postgres, reference, resources, print } = options;
  const generator = await startFollowerGenerator(resources);
  if (!generator.isPinned)
    print("The processes share the cores: there is no second, or no taskset\n");
  if (postgres === undefined) print("DATABASE_URL is not set: the embedded database is measured\n");
  const parley = await parleyServer(resources, await postgres?.createDatabase("fanout"));
  const servers = [parley, floor];
  const missing = await nchanIsMissing();
  if (missing === undefined) servers.push(nchan);
  else print(`nginx with nchan: skipped, for ${missing}\n`);
  const measured: Measured[] = [];
  for (const shape of shapes) {
    measured.push(...(await measureShape(options, generator, { shape, servers })));
    print(`${shape.name}: measured\n`);
  }
  if (reference !== undefined) {
    const floors = { shape: postedShape, servers: [postedFloor, referenceFloor(reference)] };
    measured.push(...(await measureShape(options, generator, floors)));
  }
  print(renderFanout(measured, await measureIdle(options, generator, servers)));
}
