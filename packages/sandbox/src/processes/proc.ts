import { readdirSync, readFileSync } from "node:fs";

const PAGE_BYTES = 4096;
/** The kernel counts the time of processes in hundredths of a second, whatever its own clock is. */
const TICK_MS = 10;

/** What a group of processes has and has used. */
export interface Usage {
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Milliseconds of a processor that the main thread of a process has had; undefined if it cannot be known. */
export function cpuMsOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/schedstat`);
  return text === undefined ? undefined : Number.parseInt(text) / 1e6;
}

/** Bytes of memory that a process has; undefined if it cannot be known. */
export function residentBytesOf(pid: number): number | undefined {
  return readMemory(pid)?.resident;
}

/** Bytes of memory that would be free without a process: not its program, which others share. */
export function ownBytesOf(pid: number): number | undefined {
  const memory = readMemory(pid);
  return memory === undefined ? undefined : memory.resident - memory.shared;
}

function readMemory(pid: number): { resident: number; shared: number } | undefined {
  const pages = read(`/proc/${pid}/statm`)?.split(" ");
  if (pages === undefined) return undefined;
  return { resident: Number(pages[1]) * PAGE_BYTES, shared: Number(pages[2]) * PAGE_BYTES };
}

/** What a process uses with all of its threads and descendants, ended ones included; zeros if it has ended. */
export function usageOf(pid: number): Usage {
  const parts = [usedBy(pid), ...childrenOf(pid).map(usageOf)];
  return {
    cpuMs: parts.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memoryBytes: parts.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

function usedBy(pid: number): Usage {
  const stat = read(`/proc/${pid}/stat`) ?? "";
  // Its name, in brackets, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Of itself, then of the children that it has waited for: utime, stime, cutime, cstime.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { cpuMs: ticks * TICK_MS, memoryBytes: residentBytesOf(pid) ?? 0 };
}

/** Any thread may have started them. */
function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? "")
      .split(" ")
      .filter((child) => child !== "")
      .map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The process that runs the code: the last descendant of a wrapper, or the process itself. */
export function innermostOf(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? "";
  const first = Number.parseInt(children);
  return Number.isNaN(first) ? pid : innermostOf(first);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}
