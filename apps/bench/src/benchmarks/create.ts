import { adoptFloor, ownFloor, startFloor } from "../floor.ts";
import { startLoadGenerator } from "../load/load-generator.ts";
import { addressOf, formatPost, type Load } from "../load/plan.ts";
import {
  type Measured,
  measureLoads,
  type Sample,
  samplesOf,
  type Subject,
  tabulate,
} from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { conversationsPath, startParley } from "../parley-server.ts";
import { type Findings, type Question, ratio, type Target } from "../report.ts";
import type { ScratchDatabase } from "../scratch-database.ts";

/** One way to create conversations. */
interface CreateCase {
  readonly blocking: boolean;
  readonly connections: 1 | 16;
}

const cases: readonly CreateCase[] = [
  { blocking: false, connections: 1 },
  { blocking: false, connections: 16 },
  { blocking: true, connections: 1 },
  { blocking: true, connections: 16 },
];
const quickCases = cases.slice(1);

/** Something that creates conversations: the server, or a floor of it. */
interface Creator {
  readonly database: "embedded" | "PostgreSQL";
  readonly subject: Subject;
  readonly loadOf: (ofCase: CreateCase) => Load;
}

/** The body of a create; `helper` is the demo's agent that answers at once. */
const bodyOf = ({ blocking }: CreateCase) => ({
  message: {
    content: "What does a conversation cost?",
    mentions: [{ configurationId: "helper" }],
    context: { username: "bench", timezone: "Europe/Paris" },
  },
  blocking,
});

const nameOf = (blocking: boolean) => (blocking ? "blocking" : "non-blocking");

/**
 * Measures creates on PostgreSQL beside the floor, and on the embedded database, unless that is the
 * PostgreSQL that everything is measured on.
 */
export async function benchCreate(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources } = options;
  const generator = startLoadGenerator(resources);
  const embedded = postgres.isEmbedded ? [] : [await startCreator(resources, undefined)];
  const creators = [...embedded, ...(await startOnPostgres(options))];
  const measured: Measured<Sample>[] = [];
  for (const ofCase of options.quick ? quickCases : cases) {
    const { blocking, connections } = ofCase;
    const lanes = creators.map(({ database, subject, loadOf }) => ({
      labels: { database, create: nameOf(blocking), connections, process: subject.name },
      subject,
      generator,
      load: loadOf(ofCase),
    }));
    measured.push(...(await measureLoads(options, `${nameOf(blocking)}, ${connections}`, lanes)));
  }
  return { tables: [tabulate(measured, "creates")], questions: askCreates(measured) };
}

/** Starts the server on the database, on an embedded one if none is given. */
export async function startCreator(
  resources: AsyncDisposableStack,
  database: ScratchDatabase | undefined,
) {
  const server = await startParley(resources, database);
  return {
    ...server,
    database: database === undefined ? ("embedded" as const) : ("PostgreSQL" as const),
    loadOf: (ofCase: CreateCase) => ({
      ...server.address,
      requests: [server.post(conversationsPath, bodyOf(ofCase))],
      mustContain: `"status":"${ofCase.blocking ? "succeeded" : "created"}"`,
      connections: ofCase.connections,
    }),
  };
}

async function startOnPostgres({
  resources,
  reference,
  postgres,
}: BenchmarkOptions): Promise<Creator[]> {
  const server = await postgres.createDatabase(resources, "server");
  const creators: Creator[] = [await startCreator(resources, server)];
  const floors = [{ name: "floor", file: ownFloor("create-floor") }];
  if (reference !== undefined) {
    floors.push({ name: "reference", file: await adoptFloor(resources, reference) });
  }
  for (const { name, file } of floors) {
    const database = await postgres.createDatabase(resources, name);
    const { pid, url } = await startFloor(resources, file, database.url);
    creators.push({
      database: "PostgreSQL",
      subject: { name, pid, backends: database.backends },
      loadOf: (ofCase) => ({
        ...addressOf(new URL(url)),
        requests: [formatPost(new URL(url), {}, bodyOf(ofCase))],
        // Its agents never answer.
        mustContain: '"status":"created"',
        connections: ofCase.connections,
      }),
    });
  }
  return creators;
}

function askCreates(measured: readonly Measured<Sample>[]): Question[] {
  const find = (database: Creator["database"], process: string, ofCase: CreateCase) => {
    const { blocking, connections } = ofCase;
    return samplesOf(measured, { database, process, create: nameOf(blocking), connections });
  };
  const overFloor = (ofCase: CreateCase) => ({
    of: find("PostgreSQL", "parley", ofCase),
    over: find("PostgreSQL", "floor", ofCase),
  });
  const floorOverReference = (connections: 1 | 16) => ({
    of: find("PostgreSQL", "floor", { blocking: false, connections }),
    over: find("PostgreSQL", "reference", { blocking: false, connections }),
  });
  const blockingOverNot = (connections: 1 | 16) => ({
    of: find("embedded", "parley", { blocking: true, connections }),
    over: find("embedded", "parley", { blocking: false, connections }),
  });
  const perSecond = (target?: Target) => ({ read: (one: Sample) => one.perSecond, target });
  const p50 = (target?: Target) => ({ read: (one: Sample) => one.p50Ms, target });
  const alone = find("PostgreSQL", "parley", { blocking: true, connections: 1 });
  return [
    // The floor runs no turn after its answer, so this compares unlike work and has no target.
    ratio(
      "non-blocking creates/s over the floor's, 16 connections",
      overFloor({ blocking: false, connections: 16 }),
      perSecond(),
    ),
    ratio(
      "blocking creates/s over the floor's, 16 connections",
      overFloor({ blocking: true, connections: 16 }),
      perSecond({ atLeast: 0.65 }),
    ),
    ratio(
      "blocking p50 over the floor's, 1 connection",
      overFloor({ blocking: true, connections: 1 }),
      p50({ atMost: 2 }),
    ),
    ...([1, 16] as const).flatMap((connections) =>
      [false, true].map((blocking) =>
        ratio(
          `embedded, ${nameOf(blocking)} creates/s over PostgreSQL's, ${connections} at once`,
          {
            of: find("embedded", "parley", { blocking, connections }),
            over: find("PostgreSQL", "parley", { blocking, connections }),
          },
          perSecond({ atLeast: 0.9 }),
        ),
      ),
    ),
    ratio(
      "embedded, blocking p50 over non-blocking, 1 connection",
      blockingOverNot(1),
      p50({ atMost: 4 }),
    ),
    ratio("embedded, blocking p50 over non-blocking, 16 connections", blockingOverNot(16), p50()),
    ratio(
      "our floor's creates/s over the reference's, 1 connection",
      floorOverReference(1),
      perSecond(),
    ),
    ratio(
      "our floor's creates/s over the reference's, 16 connections",
      floorOverReference(16),
      perSecond(),
    ),
    {
      name: "blocking create, 1 connection: processor time of the server in ms",
      of: alone.map(({ cpuMicros }) => cpuMicros.server / 1000),
      target: { atMost: 2 },
    },
  ];
}
