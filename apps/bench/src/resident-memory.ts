import { readFile } from "node:fs/promises";

/** Resident memory of a process. Throws when there is no such process. */
export async function readResidentBytes(pid: number): Promise<number> {
  return parseResidentBytes(await readFile(`/proc/${pid}/status`, "utf8"));
}

/** Memory of a process, of which what it shares with others counts in part; 0 when it is gone. */
export async function readProportionalBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}

/** Reads VmRSS of proc(5). */
export function parseResidentBytes(status: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("The process has no resident memory");
  return Number(kilobytes) * 1024;
}
