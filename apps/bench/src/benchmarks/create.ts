import { adoptFloor, ownFloor } from "../floor.ts";
import { interleave } from "../interleave.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import { measure } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import type { Postgres } from "../scratch-database.ts";
import {
  type Creator,
  type Lane,
  type Measured,
  planLane,
  startCreator,
  startFloorCreator,
} from "./create-lanes.ts";
import { renderCreates } from "./create-report.ts";

const connectionCounts = [1, 16] as const;

/** Measures creates on the embedded database, and on PostgreSQL beside it and the floor. */
export async function benchCreate(options: BenchmarkOptions): Promise<void> {
  const { postgres, resources, print } = options;
  const generator = startLoadGenerator(resources);
  const creators = [await startCreator(resources)];
  if (postgres === undefined) print("PostgreSQL: skipped, for DATABASE_URL is not set\n");
  else creators.push(...(await startOnPostgres(options, postgres)));
  const measured: Measured[] = [];
  for (const blocking of [false, true]) {
    for (const connections of connectionCounts) {
      const lanes = creators.map((creator) =>
        planLane(creator, { blocking, connections }, options.seconds),
      );
      measured.push(...(await measureLanes(options, generator, lanes)));
      print(`${blocking ? "blocking" : "non-blocking"}, ${connections}: measured\n`);
    }
  }
  print(renderCreates(measured));
}

async function startOnPostgres(
  { resources, reference }: BenchmarkOptions,
  postgres: Postgres,
): Promise<Creator[]> {
  const floors = [{ name: "floor", file: ownFloor("create-floor") }];
  if (reference !== undefined) {
    floors.push({ name: "reference", file: await adoptFloor(resources, reference) });
  }
  const creators = [await startCreator(resources, await postgres.createDatabase("server"))];
  for (const floor of floors) {
    const database = await postgres.createDatabase(floor.name);
    creators.push(await startFloorCreator(resources, floor, database));
  }
  return creators;
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
