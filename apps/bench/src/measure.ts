import type { LoadGenerator } from "./load/load-generator.ts";
import type { Load, LoadPlan, LoadResult } from "./load/plan.ts";
import { type BenchmarkOptions, sampleTimes } from "./options.ts";
import { readUsage, usageBetween, type UsageReading, waitUntilIdle } from "./proc.ts";
import { median } from "./statistics.ts";
import type { Row } from "./table.ts";

/** A process that is measured. */
export interface Subject {
  readonly name: string;
  readonly pid: number;
  /** Process ids of its database's backends; none for a database in the process itself. */
  readonly backends: () => Promise<number[]>;
}

/** What a row of samples is taken of: its cells in the tables, and how one sample is taken. */
export interface Lane<S> {
  readonly labels: Row;
  readonly take: (round: number) => Promise<S>;
}

/** A lane with what was measured. */
export interface Measured<S> {
  readonly labels: Row;
  readonly samples: readonly S[];
}

/** Takes `rounds` samples of each lane in turn (A B A B …), so that drift meets all alike. */
export async function sampleInTurn<S>(
  lanes: readonly Lane<S>[],
  rounds: number,
): Promise<Measured<S>[]> {
  const measured = lanes.map(({ labels }) => ({ labels, samples: [] as S[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, { take }] of lanes.entries()) {
      measured[index]?.samples.push(await take(round));
    }
  }
  return measured;
}

/** The samples of the lane with these labels; none if it was not measured. */
export function samplesOf<S>(measured: readonly Measured<S>[], labels: Row): readonly S[] {
  const wanted = Object.entries(labels);
  const lane = measured.find((one) => wanted.every(([name, cell]) => one.labels[name] === cell));
  return lane?.samples ?? [];
}

/** The median of what is read of samples; NaN if it is missing. */
export function middle<S>(samples: readonly S[], read: (sample: S) => number | undefined): number {
  return median(samples.map((sample) => read(sample) ?? Number.NaN));
}

/** One measurement of a subject under a load. */
export interface Sample extends LoadResult {
  /** Microseconds of processor time per answer. */
  readonly cpuMicros: {
    readonly server: number;
    readonly database: number | undefined;
    readonly load: number;
  };
  /** Share of the machine that everything else used in the meantime: what makes a sample noisy. */
  readonly othersShare: number | undefined;
  /** How long the subject was still busy after the load had ended. */
  readonly drainMs: number;
}

/** Processor time of the server and its database per answer, in microseconds. */
export function processorMicros({ cpuMicros: { server, database = 0 } }: Sample): number {
  return server + database;
}

/** A load on a subject, which samples are taken of. */
export interface LoadLane {
  readonly labels: Row;
  readonly subject: Subject;
  readonly generator: LoadGenerator;
  readonly load: Load | ((round: number) => Load);
}

/** The samples of each load, taken in turn; `name` tells which loads they were. */
export async function measureLoads(
  options: BenchmarkOptions,
  name: string,
  lanes: readonly LoadLane[],
): Promise<Measured<Sample>[]> {
  const taken = lanes.map(({ labels, subject, generator, load }) => ({
    labels,
    take: (round: number) => {
      const ofRound = typeof load === "function" ? load(round) : load;
      return measure(subject, generator, { ...ofRound, ...sampleTimes(options, round) });
    },
  }));
  const measured = await sampleInTurn(taken, options.rounds);
  options.print(`${name}: measured\n`);
  return measured;
}

/** Puts a plan's load on a subject and samples all processes in the window; leaves it idle. */
export async function measure(
  subject: Subject,
  generator: LoadGenerator,
  plan: LoadPlan,
): Promise<Sample> {
  const read = async (): Promise<UsageReading> => {
    const own = { server: [subject.pid], load: [generator.pid] };
    return readUsage({ ...own, database: await subject.backends() });
  };
  const { result, before, after } = await generator.watch(plan, read);
  const drainMs = await waitUntilIdle(subject.pid).catch((cause: unknown) => {
    throw new Error(`After its load, ${subject.name} did not become idle`, { cause });
  });
  const { cpuMs, othersShare } = usageBetween(before, after);
  const perAnswer = (ms: number | undefined) => ((ms ?? Number.NaN) * 1000) / result.count;
  return {
    ...result,
    cpuMicros: {
      server: perAnswer(cpuMs["server"]),
      database: cpuMs["database"] === undefined ? undefined : perAnswer(cpuMs["database"]),
      load: perAnswer(cpuMs["load"]),
    },
    othersShare,
    drainMs,
  };
}

/** A row for each lane, with the medians of its samples. */
export function tabulate(measured: readonly Measured<Sample>[], unit: string): Row[] {
  return measured.map(({ labels, samples }) => ({
    ...labels,
    [`${unit}/s`]: middle(samples, (sample) => sample.perSecond),
    "p50 ms": middle(samples, (sample) => sample.p50Ms),
    "p99 ms": middle(samples, (sample) => sample.p99Ms),
    "server µs": middle(samples, (sample) => sample.cpuMicros.server),
    "database µs": middle(samples, (sample) => sample.cpuMicros.database),
    "load µs": middle(samples, (sample) => sample.cpuMicros.load),
    "others, cores": middle(samples, (sample) => sample.othersShare),
    "drain ms": middle(samples, (sample) => sample.drainMs),
  }));
}
