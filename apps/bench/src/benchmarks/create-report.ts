import type { Sample } from "../measure.ts";
import {
  answerFigure,
  answerRatio,
  type RatioQuestion,
  type ResultRow,
  summarize,
} from "../report.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";
import type { CreateCase, Creator, Measured } from "./create-lanes.ts";

/** The two tables of a run: what was measured, and the ratios. */
export function renderCreates(
  measured: readonly Measured[],
  results: readonly ResultRow[],
): string {
  const rows = measured.map(({ creator, case: { blocking, connections }, samples }) => ({
    database: creator.database,
    create: blocking ? "blocking" : "non-blocking",
    connections,
    process: creator.subject.name,
    ...summarize(samples, "creates"),
  }));
  return `\n${renderTable(rows)}\n${renderTable(results)}`;
}

/** The ratios of a run, as far as both sides were measured. */
export function answerCreates(measured: readonly Measured[]): ResultRow[] {
  const alone = measured.find(
    ({ creator, case: { blocking, connections } }) =>
      creator.database === "PostgreSQL" &&
      creator.subject.name === "parley" &&
      blocking &&
      connections === 1,
  );
  const serverMs = alone?.samples.map(({ cpuMicros }) => cpuMicros.server / 1000) ?? [];
  const name = "blocking create, 1 connection: processor time of the server in ms";
  return [
    ...askRatios(measured).map((question) => answerRatio(question)),
    ...(serverMs.length === 0
      ? []
      : [answerFigure(name, serverMs, targets.blockingCreateServerMs)]),
  ];
}

const perSecond = (sample: Sample) => sample.perSecond;
const p50Ms = (sample: Sample) => sample.p50Ms;

function askRatios(measured: readonly Measured[]): RatioQuestion<Sample>[] {
  const find = (database: Creator["database"], name: string, ofCase: CreateCase) =>
    measured.find(
      ({ creator, case: { blocking, connections } }) =>
        creator.database === database &&
        creator.subject.name === name &&
        blocking === ofCase.blocking &&
        connections === ofCase.connections,
    )?.samples ?? [];
  const overFloor = (ofCase: CreateCase) => ({
    of: find("PostgreSQL", "parley", ofCase),
    over: find("PostgreSQL", "floor", ofCase),
  });
  const floorOverReference = (ofCase: CreateCase) => ({
    of: find("PostgreSQL", "floor", ofCase),
    over: find("PostgreSQL", "reference", ofCase),
  });
  const blockingOverNot = (connections: 1 | 16) => ({
    of: find("embedded", "parley", { blocking: true, connections }),
    over: find("embedded", "parley", { blocking: false, connections }),
  });
  const embeddedOverServer = ([1, 16] as const).flatMap((connections) =>
    [false, true].map((blocking) => ({
      name: `embedded, ${blocking ? "blocking" : "non-blocking"} creates/s over PostgreSQL's, ${connections} at once`,
      of: find("embedded", "parley", { blocking, connections }),
      over: find("PostgreSQL", "parley", { blocking, connections }),
      read: perSecond,
      target: targets.embeddedOverPostgres,
    })),
  );
  const busy = { connections: 16 } as const;
  const questions: RatioQuestion<Sample>[] = [
    {
      name: "non-blocking creates/s over the floor's, 16 connections",
      ...overFloor({ blocking: false, ...busy }),
      // The floor runs no turn after its answer, so this compares unlike work and has no target.
      read: perSecond,
    },
    {
      name: "blocking creates/s over the floor's, 16 connections",
      ...overFloor({ blocking: true, ...busy }),
      read: perSecond,
      target: targets.blockingCreatesOverFloor,
    },
    {
      name: "blocking p50 over the floor's, 1 connection",
      ...overFloor({ blocking: true, connections: 1 }),
      read: p50Ms,
      target: targets.blockingLatencyOverFloor,
    },
    ...embeddedOverServer,
    {
      name: "embedded, blocking p50 over non-blocking, 1 connection",
      ...blockingOverNot(1),
      read: p50Ms,
      target: targets.blockingLatencyOverNonBlocking,
    },
    {
      name: "embedded, blocking p50 over non-blocking, 16 connections",
      ...blockingOverNot(16),
      read: p50Ms,
    },
    {
      name: "our floor's creates/s over the reference's, 1 connection",
      ...floorOverReference({ blocking: false, connections: 1 }),
      read: perSecond,
    },
    {
      name: "our floor's creates/s over the reference's, 16 connections",
      ...floorOverReference({ blocking: false, ...busy }),
      read: perSecond,
    },
  ];
  return questions.filter(({ of, over }) => of.length > 0 && over.length > 0);
}
