import { readFileSync, readlinkSync } from "node:fs";

/** The progress of a thread through its calls, in memory that it shares with its caller. */
export type Progress = Int32Array;

/** Value while modules are imported, and after the last call. */
const BETWEEN = 0;
const CURRENT = 0;
const BEGAN = 1;
/** The kernel's number of the thread, and its processor time when the call began, in milliseconds. */
const KERNEL_THREAD = 2;
const BEGAN_CPU = 3;

export function createProgress(): Progress {
  return new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
}

/** The kernel's number of this thread; 0 without `/proc`. */
const kernelThread = readKernelThread();

function readKernelThread(): number {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return 0;
  }
}

/** Milliseconds for which this thread has had a processor: as `cpuMsOf`, without a system file. */
function ownCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return Math.trunc((user + system) / 1000);
}

/** Milliseconds for which a thread of this process has had a processor; undefined if unknown. */
function cpuMsOf(thread: number): number | undefined {
  try {
    return Math.trunc(
      Number.parseInt(readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1")) / 1e6,
    );
  } catch {
    return undefined;
  }
}

/** Milliseconds on the clock that all threads of the process share; it wraps after 24 days. */
export function sharedClock(): number {
  return Number(process.hrtime.bigint() / 1_000_000n) | 0;
}

/** Notes that the call at `position` begins; undefined: that none runs. */
export function noteProgress(progress: Progress, position: number | undefined): void {
  Atomics.store(progress, BEGAN, sharedClock());
  Atomics.store(progress, KERNEL_THREAD, kernelThread);
  Atomics.store(progress, BEGAN_CPU, ownCpuMs());
  Atomics.store(progress, CURRENT, position === undefined ? BETWEEN : position + 1);
}

/**
 * The call that runs, and for how long it has: by the clock, and in processor time of its thread if
 * that is known. None if none runs.
 */
export function readProgress(
  progress: Progress,
): { position: number; tookMs: number; cpuMs: number | undefined } | undefined {
  const current = Atomics.load(progress, CURRENT);
  if (current === BETWEEN) return undefined;
  const tookMs = (sharedClock() - Atomics.load(progress, BEGAN)) | 0;
  const cpuMs = cpuMsOf(Atomics.load(progress, KERNEL_THREAD));
  const began = Atomics.load(progress, BEGAN_CPU);
  return { position: current - 1, tookMs, cpuMs: cpuMs === undefined ? undefined : cpuMs - began };
}
