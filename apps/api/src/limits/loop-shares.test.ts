import { expect, test } from "vitest";
import { createLoopShares } from "./loop-shares.ts";

const members = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",")}}`;
const large = members(20_000);

test("large bodies of a workspace follow each other at a pace, and others wait for none of them", async () => {
  const { take } = createLoopShares();
  const startedAt = performance.now();
  const tookMs = () => performance.now() - startedAt;
  // Each is 20 ms and a little more of the loop: 0.2 s of the share, of which a second is saved.
  const times = await Promise.all(
    Array.from({ length: 8 }, async () => {
      await take("a", large);
      return tookMs();
    }),
  );
  await take("b", large);
  expect(tookMs() - times.at(-1)!).toBeLessThan(100);
  expect(times.slice(0, 4).every((ms) => ms < 150)).toBe(true);
  expect(times.at(-1)).toBeGreaterThan(400);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("bodies that would wait too long are refused, before they are read", async () => {
  let refused = 0;
  const { take, requireRoom } = createLoopShares(() => refused++);
  const huge = members(90_000);
  void take("a", huge);
  const rest = Array.from({ length: 12 }, () => take("a", huge).then(() => "taken", String));
  expect(() => requireRoom("a", 1000000)).toThrow(/Too many large bodies/);
  expect(() => requireRoom("a", undefined)).toThrow(/Too many large bodies/);
  requireRoom("a", 1000);
  requireRoom("b", 1000000);
  await take("a", "{}");
  expect((await Promise.all(rest)).filter((one) => one !== "taken").length).toBeGreaterThan(2);
  expect(refused).toBeGreaterThan(2);
});
