import { setTimeout as sleep } from "node:timers/promises";
import { type CpuReading, readBusyMs, readCpu, readCpuMs, sumCpuMs } from "./cpu.ts";
import type { LoadGenerator } from "./load/load-generator.ts";
import type { LoadPlan, LoadResult } from "./load/plan.ts";

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

interface Reading {
  readonly at: number;
  readonly cpu: CpuReading;
  readonly busyMs: number | undefined;
}

/** Puts a plan's load on a subject and samples all processes in the window; leaves it idle. */
export async function measure(
  subject: Subject,
  generator: LoadGenerator,
  plan: LoadPlan,
): Promise<Sample> {
  const readings: Promise<Reading>[] = [];
  const read = async (): Promise<Reading> => {
    const at = performance.now();
    const busyMs = await readBusyMs();
    const own = await readCpu({ server: [subject.pid], load: [generator.pid] });
    const backends = await readCpu({ database: await subject.backends() });
    return { at, busyMs, cpu: new Map([...own, ...backends]) };
  };
  const result = await generator.run(plan, () => readings.push(read()));
  const [before, after] = await Promise.all(readings);
  if (before === undefined || after === undefined) throw new Error("The window did not open");
  const drainMs = await waitUntilIdle(subject.pid);
  const sums = sumCpuMs(before.cpu, after.cpu);
  const perAnswer = (ms: number) => (ms * 1000) / result.count;
  return {
    ...result,
    cpuMicros: {
      server: perAnswer(sums["server"] ?? Number.NaN),
      database: sums["database"] === undefined ? undefined : perAnswer(sums["database"]),
      load: perAnswer(sums["load"] ?? Number.NaN),
    },
    othersShare: shareOfOthers(before, after, sums),
    drainMs,
  };
}

function shareOfOthers(
  before: Reading,
  after: Reading,
  sums: Readonly<Record<string, number>>,
): number | undefined {
  if (before.busyMs === undefined || after.busyMs === undefined) return undefined;
  const ours = Object.values(sums).reduce((sum, ms) => sum + ms, 0);
  return Math.max(0, after.busyMs - before.busyMs - ours) / (after.at - before.at);
}

const LOOK_MS = 100;
/** Of 100 ms: an idle server still looks after its leases once a second. */
const IDLE_MS = 20;
const IDLE_WITHIN_MS = 60_000;

/**
 * Waits until a process has nothing left to do, so that turns that outlive their creates do not
 * slow the next sample; gives how long that took. Throws after a minute.
 */
async function waitUntilIdle(pid: number): Promise<number> {
  const startedAt = performance.now();
  let quiet = 0;
  for (let before = await readCpuMs(pid); performance.now() - startedAt < IDLE_WITHIN_MS;) {
    await sleep(LOOK_MS);
    const now = await readCpuMs(pid);
    if (before === undefined || now === undefined) return 0;
    quiet = now - before <= IDLE_MS ? quiet + 1 : 0;
    if (quiet === 3) return performance.now() - startedAt - quiet * LOOK_MS;
    before = now;
  }
  throw new Error(`The process ${pid} is still busy after ${IDLE_WITHIN_MS / 1000} s`);
}
