import { setTimeout as sleep } from "node:timers/promises";
import { readCpuMs } from "./cpu.ts";

const LOOK_MS = 100;
/** Of 100 ms: an idle server still looks after its leases once a second. */
const IDLE_MS = 20;
const IDLE_WITHIN_MS = 60_000;

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
