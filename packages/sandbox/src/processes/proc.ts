import { readFileSync } from "node:fs";

const PAGE_BYTES = 4096;

/** Milliseconds of a processor that the main thread of a process has had; undefined where it cannot be known. */
export function cpuMsOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/schedstat`);
  return text === undefined ? undefined : Number.parseInt(text) / 1e6;
}

/** Bytes of memory that a process has; undefined where it cannot be known. */
export function residentBytesOf(pid: number): number | undefined {
  const pages = read(`/proc/${pid}/statm`)?.split(" ")[1];
  return pages === undefined ? undefined : Number(pages) * PAGE_BYTES;
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
