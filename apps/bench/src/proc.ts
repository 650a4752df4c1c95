import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

// What Linux says in /proc about processes and the machine.

/** Length of a tick of /proc: USER_HZ is 100 on every Linux that Node runs on. */
const TICK_MS = 10;
const LOOK_MS = 100;
/** Of 100 ms: an idle server still looks after its leases once a second. */
const IDLE_MS = 20;
const IDLE_WITHIN_MS = 60_000;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** The content of a file of /proc; empty if its process is gone. */
const read = (file: string): Promise<string> => readFile(`/proc/${file}`, "utf8").catch(() => "");

/** Processor time that a process's threads have used; undefined when there is no such process. */
export async function readCpuMs(pid: number): Promise<number | undefined> {
  try {
    const threads = await readdir(`/proc/${pid}/task`);
    // A thread that has ended in the meantime counts nothing.
    const times = threads.map((thread) => read(`${pid}/task/${thread}/schedstat`));
    return sum((await Promise.all(times)).map(parseThreadMs));
  } catch {
    return undefined;
  }
}

/** Reads the time on a processor, in nanoseconds: /proc/stat knows ticks of 10 ms only. */
export function parseThreadMs(schedstat: string): number {
  return Number(schedstat.split(" ")[0]) / 1e6;
}

/** Processor time of the whole machine that was not idle. */
async function readBusyMs(): Promise<number | undefined> {
  const [line = ""] = (await read("stat")).split("\n");
  if (line === "") return undefined;
  const [user, nice, system, , , irq, softIrq, steal] = line.split(/ +/).slice(1).map(Number);
  return sum([user, nice, system, irq, softIrq, steal].map((ticks) => ticks ?? 0)) * TICK_MS;
}

/** Processor time of processes that each have a role, at one moment. */
export type CpuReading = ReadonlyMap<number, { readonly role: string; readonly ms: number }>;

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

/** Reads the time of the processes of each role, without those that are gone, and of the machine. */
export async function readUsage(
  roles: Readonly<Record<string, readonly number[]>>,
): Promise<UsageReading> {
  const at = performance.now();
  const busyMs = await readBusyMs();
  const processes = Object.entries(roles).flatMap(([role, pids]) =>
    pids.map(async (pid) => ({ pid, role, ms: await readCpuMs(pid) })),
  );
  const known = (await Promise.all(processes)).flatMap(({ pid, role, ms }) =>
    ms === undefined ? [] : [[pid, { role, ms }] as const],
  );
  return { at, busyMs, cpu: new Map(known) };
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

/** Time that each role used between two readings; a process that is new began with none. */
export function sumCpuMs(before: CpuReading, after: CpuReading): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [pid, { role, ms }] of after) {
    sums[role] = (sums[role] ?? 0) + ms - (before.get(pid)?.ms ?? 0);
  }
  return sums;
}

/**
 * Waits until a process has nothing left to do, so that what outlives a sample does not slow the
 * next one; gives how long that took. Throws after a minute.
 */
export async function waitUntilIdle(pid: number): Promise<number> {
  const startedAt = performance.now();
  let quiet = 0;
  let used = 0;
  for (let before = await readCpuMs(pid); performance.now() - startedAt < IDLE_WITHIN_MS;) {
    await sleep(LOOK_MS);
    const now = await readCpuMs(pid);
    if (before === undefined || now === undefined) return 0;
    used = now - before;
    quiet = used <= IDLE_MS ? quiet + 1 : 0;
    if (quiet === 3) return performance.now() - startedAt - quiet * LOOK_MS;
    before = now;
  }
  throw new Error(
    `The process ${pid} is still busy after ${IDLE_WITHIN_MS / 1000} s: it used ${Math.round(used)} ms of the last ${LOOK_MS}`,
  );
}

/** Resident memory of a process. Throws when there is no such process. */
export async function readResidentBytes(pid: number): Promise<number> {
  return parseResidentBytes(await read(`${pid}/status`));
}

/** Reads VmRSS of proc(5). */
export function parseResidentBytes(status: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("The process has no resident memory");
  return Number(kilobytes) * 1024;
}

/** Processes that a process has started. */
export async function listChildren(pid: number): Promise<number[]> {
  const children = await read(`${pid}/task/${pid}/children`);
  return children.split(" ").filter(Boolean).map(Number);
}

/** A process, those that it has started, and those that these have started. */
async function listFamily(pid: number): Promise<number[]> {
  const families = (await listChildren(pid)).map(listFamily);
  return [pid, ...(await Promise.all(families)).flat()];
}

/** Memory that a process and its family hold; what several share counts once, in parts. */
export async function readFamilyBytes(pid: number): Promise<number> {
  const rollups = (await listFamily(pid)).map((member) => read(`${member}/smaps_rollup`));
  const kilobytes = (await Promise.all(rollups)).map((rollup) =>
    Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0),
  );
  return sum(kilobytes) * 1024;
}

/** Processor time that a process and its family have used, with those that have ended. */
export async function readFamilyCpuMs(pid: number): Promise<number> {
  const times = (await listFamily(pid)).map(async (member) => {
    const endedMs = parseEndedMs(await read(`${member}/stat`));
    return endedMs + ((await readCpuMs(member)) ?? 0);
  });
  return sum(await Promise.all(times));
}

/** Reads the time of children that have ended from /proc/pid/stat: proc(5), fields 16 and 17. */
export function parseEndedMs(stat: string): number {
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * TICK_MS;
}
