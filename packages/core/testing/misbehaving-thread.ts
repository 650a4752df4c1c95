import { threadId } from "node:worker_threads";

// Functions that the tests of the threads call in one.

/** Takes `ms` of a core. */
export function spin({ ms, says }: { ms: number; says: string }): string {
  const until = performance.now() + ms;
  while (performance.now() < until);
  return says;
}

/** Takes all memory. */
export function hoard(): number {
  const hoarded: number[][] = [];
  for (;;) hoarded.push(Array.from({ length: 1_000_000 }, Math.random));
}

/** Throws. */
export function breakDown(): never {
  throw new Error("no");
}

/** Divides a document as its text says: without end if it is "slow", and not at all if it is "broken". */
export function divideBadly({ content }: { content: string }) {
  while (content === "slow");
  if (content === "broken") throw new Error("no");
  return { language: "simple", parts: [] };
}

/** The environment and the arguments of a thread. */
export function lookAround(): { environment: number; conditions: number } {
  return { environment: Object.keys(process.env).length, conditions: process.execArgv.length };
}

/** The number of the thread, which is unique. */
export function whereAmI(): number {
  return threadId;
}

/** Holds the thread for so many milliseconds without a processor. */
export function idle({ ms, says }: { ms: number; says: string }): string {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return says;
}
