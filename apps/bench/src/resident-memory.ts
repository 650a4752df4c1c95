import { readFile } from "node:fs/promises";

/** Resident memory of a process. Throws when there is no such process. */
export async function readResidentBytes(pid: number): Promise<number> {
  return parseResidentBytes(await readFile(`/proc/${pid}/status`, "utf8"));
}

/**
 * Memory that a process and those that it has started hold, and those that these have started; what
 * several share counts once, in parts.
 */
export async function readFamilyBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const kilobytes = Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const bytes = await Promise.all(
    children
      .split(" ")
      .filter(Boolean)
      .map(async (child) => readFamilyBytes(Number(child))),
  );
  return bytes.reduce((sum, one) => sum + one, kilobytes * 1024);
}

/** Reads VmRSS of proc(5). */
export function parseResidentBytes(status: string): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("The process has no resident memory");
  return Number(kilobytes) * 1024;
}
