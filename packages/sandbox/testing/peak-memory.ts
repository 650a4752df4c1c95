import { readdirSync, readFileSync } from "node:fs";

/**
 * The most that this process's descendants had at once: at each look, the sum of what the kernel remembers as the
 * most of each that lives.
 */
export async function peakOfDescendants<T>(
  run: () => Promise<T>,
): Promise<{ result: T; bytes: number }> {
  let bytes = 0;
  const timer = setInterval(() => (bytes = Math.max(bytes, peakBelow(process.pid))), 10);
  try {
    const result = await run();
    return { result, bytes };
  } finally {
    clearInterval(timer);
  }
}

function peakBelow(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + peakOf(child) + peakBelow(child), 0);
}

function peakOf(pid: number): number {
  return Number(/VmHWM:\s*(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" "))
      .filter((one) => one !== "")
      .map(Number);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
