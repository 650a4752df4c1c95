import { readFile } from "node:fs/promises";

/** Resident memory of a process. Throws when there is no such process. */
export async function readResidentBytes(pid: number): Promise<number> {
  return parseResidentBytes(await readFile(`/proc/${pid}/status`, "utf8"));
}

/** Reads VmRSS of proc(5). */
export function parseResidentBytes(status: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("The process has no resident memory");
  return Number(kilobytes) * 1024;
}
