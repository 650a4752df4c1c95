import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTurns } from "./long-work.ts";

const LONG = 1024 * 1024;

/** Holds the event loop. */
function holdLoop(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("what is long is worked on one after the other, and others have the loop between", async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  const work = Array.from({ length: 3 }, (_, nth) =>
    inTurn(LONG, () => {
      holdLoop(40);
      order.push(`work ${nth}`);
    }),
  );
  const others = sleep(1).then(() => void order.push("another"));
  await Promise.all([...work, others]);
  expect(order).toEqual(["work 0", "another", "work 1", "work 2"]);
});

test("what is short waits for nothing, and a failure holds nothing up", async () => {
  const inTurn = createTurns();
  const failed = inTurn(LONG, () => {
    throw new Error("no");
  });
  expect(inTurn(1000, () => "at once")).toBe("at once");
  await expect(failed).rejects.toThrow("no");
  expect(await inTurn(LONG, () => "next")).toBe("next");
});

test("if very much waits, the pauses are left out", async () => {
  const inTurn = createTurns();
  const pauses: number[] = [];
  let endedAt = performance.now();
  const work = (): void => {
    pauses.push(performance.now() - endedAt);
    holdLoop(20);
    endedAt = performance.now();
  };
  await Promise.all(Array.from({ length: 28 }, async () => inTurn(LONG, work)));
  // Behind the first, more than eight wait, and eight or fewer behind the last of them.
  const median = pauses.slice(1, 19).toSorted((a, b) => a - b)[9];
  expect(median).toBeLessThan(15);
  expect(Math.min(...pauses.slice(20))).toBeGreaterThan(15);
});
