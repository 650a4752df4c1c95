import { setPriority } from "node:os";

/** Lets other processes run first; what the process starts from then on does so too. */
export function lowerPriority(pid: number | undefined, priority: number): void {
  if (pid === undefined || process.platform !== "linux") return;
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended.
  }
}
