import { readFile } from "node:fs/promises";
import { readCpuMs } from "./cpu.ts";
import { readProportionalBytes } from "./resident-memory.ts";

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/** A process, those that it has started, and those that these have started. */
async function listFamily(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const families = children
    .split(" ")
    .filter(Boolean)
    .map((child) => listFamily(Number(child)));
  return [pid, ...(await Promise.all(families)).flat()];
}

/** Memory that a process and its family hold; what several share counts once, in parts. */
export async function readFamilyBytes(pid: number): Promise<number> {
  return sumOver(pid, readProportionalBytes);
}

/** Processor time that a process and its family have used, with those that have ended. */
export async function readFamilyCpuMs(pid: number): Promise<number> {
  return sumOver(pid, async (member) => {
    const stat = await readFile(`/proc/${member}/stat`, "utf8").catch(() => "");
    return ((await readCpuMs(member)) ?? 0) + parseEndedMs(stat);
  });
}

/** Reads the time of children that have ended from /proc/pid/stat: proc(5), fields 16 and 17. */
export function parseEndedMs(stat: string): number {
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * TICK_MS;
}

async function sumOver(pid: number, read: (pid: number) => Promise<number>): Promise<number> {
  const values = await Promise.all((await listFamily(pid)).map(read));
  return values.reduce((sum, value) => sum + value, 0);
}
