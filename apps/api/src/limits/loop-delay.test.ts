import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type LoopDelay, watchLoopDelay } from "./loop-delay.ts";

const LIMIT_MS = 80;
let delay: LoopDelay;
afterEach(() => delay.close());

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Takes turns of so many milliseconds until the condition holds, or the patience is over. */
async function turnUntil(condition: () => boolean, turnMs: number, gracePeriodMs: number) {
  const end = performance.now() + gracePeriodMs;
  while (!condition() && performance.now() < end) {
    block(turnMs);
    await nextTurn();
  }
  return condition();
}

it("tells of an event loop whose turns are long, and that they are short again", async () => {
  delay = watchLoopDelay();
  expect(await turnUntil(() => delay.currentMs() > LIMIT_MS, 100, 5000)).toBe(true);
  expect(await turnUntil(() => delay.currentMs() < LIMIT_MS, 1, 5000)).toBe(true);
});

it("does not tell of a single long turn", async () => {
  delay = watchLoopDelay();
  block(2500);
  expect(await turnUntil(() => delay.currentMs() > LIMIT_MS, 1, 2500)).toBe(false);
});
