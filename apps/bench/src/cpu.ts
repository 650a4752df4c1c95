import { readdir, readFile } from "node:fs/promises";

/** Length of a tick of /proc/stat: USER_HZ is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/** Processor time that a process's threads have used; undefined when there is no such process. */
export async function readCpuMs(pid: number): Promise<number | undefined> {
  try {
    const threads = await readdir(`/proc/${pid}/task`);
    const times = await Promise.all(threads.map((thread) => readThreadMs(pid, thread)));
    return times.reduce((sum, ms) => sum + ms, 0);
  } catch {
    return undefined;
  }
}

/** A thread that has ended meanwhile counts nothing. */
async function readThreadMs(pid: number, thread: string): Promise<number> {
  const path = `/proc/${pid}/task/${thread}/schedstat`;
  return parseThreadMs(await readFile(path, "utf8").catch(() => "0"));
}

/** Reads the time on a processor, in nanoseconds: /proc/stat knows ticks of 10 ms only. */
export function parseThreadMs(schedstat: string): number {
  return Number(schedstat.split(" ")[0]) / 1e6;
}

/** Processor time of the whole machine that was not idle. */
export async function readBusyMs(): Promise<number | undefined> {
  try {
    const [line = ""] = (await readFile("/proc/stat", "utf8")).split("\n");
    const [user, nice, system, , , irq, softIrq, steal] = line.split(/ +/).slice(1).map(Number);
    const busy = [user, nice, system, irq, softIrq, steal];
    return busy.reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** Processor time of processes that each have a role, at one moment. */
export type CpuReading = ReadonlyMap<number, { readonly role: string; readonly ms: number }>;

/** Reads the time of the processes of each role; those that are gone are left out. */
export async function readCpu(
  roles: Readonly<Record<string, readonly number[]>>,
): Promise<CpuReading> {
  const processes = Object.entries(roles).flatMap(([role, pids]) =>
    pids.map(async (pid) => ({ pid, role, ms: await readCpuMs(pid) })),
  );
  const read = await Promise.all(processes);
  return new Map(
    read.flatMap(({ pid, role, ms }) => (ms === undefined ? [] : [[pid, { role, ms }]])),
  );
}

/** Time that each role used between two readings; a process that is new began with none. */
export function sumCpuMs(before: CpuReading, after: CpuReading): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [pid, { role, ms }] of after) {
    sums[role] = (sums[role] ?? 0) + ms - (before.get(pid)?.ms ?? 0);
  }
  return sums;
}
