import { adoptFloor, ownFloor } from "../floor.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { measureLanes } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { ResultRow } from "../report.ts";
import {
  type CreateCase,
  type Creator,
  type Measured,
  planLane,
  startCreator,
  startFloorCreator,
} from "./create-lanes.ts";
import { answerCreates, renderCreates } from "./create-report.ts";

const cases: readonly CreateCase[] = [
  { blocking: false, connections: 1 },
  { blocking: false, connections: 16 },
  { blocking: true, connections: 1 },
  { blocking: true, connections: 16 },
];
const quickCases = cases.slice(1);

/**
 * Measures creates on PostgreSQL beside the floor, and on the embedded database, unless that is the
 * PostgreSQL that everything is measured on.
 */
export async function benchCreate(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, print } = options;
  const generator = startLoadGenerator(resources);
  const creators = postgres.isEmbedded ? [] : [await startCreator(resources)];
  creators.push(...(await startOnPostgres(options)));
  const measured: Measured[] = [];
  for (const ofCase of options.quick ? quickCases : cases) {
    const lanes = creators.map((creator) => planLane(creator, ofCase));
    const samples = await measureLanes(
      options,
      lanes.map(({ creator: { subject }, load }) => ({ subject, generator, loadOf: () => load })),
    );
    measured.push(...lanes.map((lane, index) => ({ ...lane, samples: samples[index] ?? [] })));
    const { blocking, connections } = ofCase;
    print(`${blocking ? "blocking" : "non-blocking"}, ${connections}: measured\n`);
  }
  const results = answerCreates(measured);
  print(renderCreates(measured, results));
  return results;
}

async function startOnPostgres({
  resources,
  reference,
  postgres,
}: BenchmarkOptions): Promise<Creator[]> {
  const floors = [{ name: "floor", file: ownFloor("create-floor") }];
  if (reference !== undefined) {
    floors.push({ name: "reference", file: await adoptFloor(resources, reference) });
  }
  const server = await postgres.createDatabase(resources, "server");
  const creators = [await startCreator(resources, server)];
  for (const floor of floors) {
    const database = await postgres.createDatabase(resources, floor.name);
    creators.push(await startFloorCreator(resources, floor, database));
  }
  return creators;
}
