import { type CpuReading, readBusyMs, readCpu, sumCpuMs } from "./cpu.ts";

/** What the processes of a measurement and the machine had used at one moment. */
export interface UsageReading {
  readonly at: number;
  readonly cpu: CpuReading;
  readonly busyMs: number | undefined;
}

/** What was used between two readings. */
export interface Usage {
  readonly elapsedMs: number;
  /** Processor time by role; a role without processes is missing. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Share of the machine that everything else used: what makes a measurement noisy. */
  readonly othersShare: number | undefined;
}

/** Reads the processor time of the processes of each role, and of the machine. */
export async function readUsage(
  roles: Readonly<Record<string, readonly number[]>>,
): Promise<UsageReading> {
  const at = performance.now();
  const busyMs = await readBusyMs();
  return { at, busyMs, cpu: await readCpu(roles) };
}

/** Compares two readings. */
export function usageBetween(before: UsageReading, after: UsageReading): Usage {
  const cpuMs = sumCpuMs(before.cpu, after.cpu);
  const elapsedMs = after.at - before.at;
  const othersShare =
    before.busyMs === undefined || after.busyMs === undefined
      ? undefined
      : Math.max(0, after.busyMs - before.busyMs - sum(Object.values(cpuMs))) / elapsedMs;
  return { elapsedMs, cpuMs, othersShare };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
