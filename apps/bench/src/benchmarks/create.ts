import { adoptFloor, ownFloor } from "../floor.ts";
import { interleave } from "../interleave.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import { measure } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { Postgres } from "../scratch-database.ts";
import {
  type Lane,
  type Measured,
  planLane,
  startCreator,
  startFloorCreator,
} from "./create-lanes.ts";
import { renderCreates } from "./create-report.ts";

const connectionCounts = [1, 16] as const;

/** Measures creates on the embedded database, and on PostgreSQL against the floor. */
export async function benchCreate(options: BenchmarkOptions): Promise<void> {
  const { postgres, resources, print } = options;
  const generator = startLoadGenerator(resources);
  const measured = await measureEmbedded(options, generator);
  if (postgres === undefined) print("PostgreSQL: skipped, for DATABASE_URL is not set\n");
  else measured.push(...(await measurePostgres(options, generator, postgres)));
  print(renderCreates(measured));
}

async function measureEmbedded(
  options: BenchmarkOptions,
  generator: LoadGenerator,
): Promise<Measured[]> {
  // Stopped before PostgreSQL is measured.
  await using resources = options.resources.use(new AsyncDisposableStack());
  const server = await startCreator(resources);
  const measured: Measured[] = [];
  for (const connections of connectionCounts) {
    const lanes = [false, true].map((blocking) =>
      planLane(server, { blocking, connections }, options.seconds),
    );
    measured.push(...(await measureLanes(options, generator, lanes)));
  }
  return measured;
}

async function measurePostgres(
  options: BenchmarkOptions,
  generator: LoadGenerator,
  postgres: Postgres,
): Promise<Measured[]> {
  const { resources, reference } = options;
  const floors = [{ name: "floor", file: ownFloor("create-floor") }];
  if (reference !== undefined) {
    floors.push({ name: "reference", file: await adoptFloor(resources, reference) });
  }
  const creators = [await startCreator(resources, await postgres.createDatabase("server"))];
  for (const floor of floors) {
    const database = await postgres.createDatabase(floor.name);
    creators.push(await startFloorCreator(resources, floor, database));
  }
  const measured: Measured[] = [];
  for (const blocking of [false, true]) {
    for (const connections of connectionCounts) {
      const lanes = creators.map((creator) =>
        planLane(creator, { blocking, connections }, options.seconds),
      );
      measured.push(...(await measureLanes(options, generator, lanes)));
    }
  }
  return measured;
}

async function measureLanes(
  { rounds }: BenchmarkOptions,
  generator: LoadGenerator,
  lanes: readonly Lane[],
): Promise<Measured[]> {
  const samples = await interleave(lanes, rounds, ({ creator, plan }) =>
    measure(creator.subject, generator, plan),
  );
  return lanes.map((lane, index) => ({ ...lane, samples: samples[index] ?? [] }));
}
