import { waitUntilIdle } from "./idle.ts";
import { interleave } from "./interleave.ts";
import type { LoadGenerator } from "./load/load-generator.ts";
import type { Load, LoadPlan, LoadResult } from "./load/plan.ts";
import { type BenchmarkOptions, sampleTimes } from "./options.ts";
import { readUsage, usageBetween, type UsageReading } from "./usage.ts";

/** A process that is measured. */
export interface Subject {
  readonly name: string;
  readonly pid: number;
  /** Process ids of its database's backends; none for a database in the process itself. */
  readonly backends: () => Promise<number[]>;
}

/** One measurement of a subject. */
export interface Sample extends LoadResult {
  /** Microseconds of processor time per answer. */
  readonly cpuMicros: {
    readonly server: number;
    readonly database: number | undefined;
    readonly load: number;
  };
  /** Share of the machine that everything else used meanwhile: what makes a sample noisy. */
  readonly othersShare: number | undefined;
  /** How long the subject was still busy after the load had ended. */
  readonly drainMs: number;
}

/** A load on a subject, which samples are taken of. */
export interface LoadLane {
  readonly subject: Subject;
  readonly generator: LoadGenerator;
  /** The load of a round. */
  readonly loadOf: (round: number) => Load;
}

/** The samples of each lane, taken in turn. */
export async function measureLanes(
  options: BenchmarkOptions,
  lanes: readonly LoadLane[],
): Promise<Sample[][]> {
  return interleave(lanes, options.rounds, ({ subject, generator, loadOf }, round) =>
    measure(subject, generator, { ...loadOf(round), ...sampleTimes(options, round) }),
  );
}

/** Puts a plan's load on a subject and samples all processes in the window; leaves it idle. */
async function measure(
  subject: Subject,
  generator: LoadGenerator,
  plan: LoadPlan,
): Promise<Sample> {
  const readings: Promise<UsageReading>[] = [];
  const read = async (): Promise<UsageReading> => {
    const own = { server: [subject.pid], load: [generator.pid] };
    return readUsage({ ...own, database: await subject.backends() });
  };
  const result = await generator.run(plan, () => readings.push(read()));
  const [before, after] = await Promise.all(readings);
  if (before === undefined || after === undefined) throw new Error("The window did not open");
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
