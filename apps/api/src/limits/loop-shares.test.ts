import { expect, onTestFinished, test, vi } from "vitest";
import { createLoopShares } from "./loop-shares.ts";

const large = { bytes: 200_000, values: 20_000 };
const huge = { bytes: 900_000, values: 90_000 };
const small = { bytes: 15_000, values: 6000 };
const ordinary = { bytes: 300, values: 10 };

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
  const refused: string[] = [];
  const { take, requireRoom } = createLoopShares((limit) => void refused.push(limit));
  void take("a", huge);
  const rest = Array.from({ length: 12 }, async () => {
    try {
      await take("a", huge);
      return "taken";
    } catch (error) {
      return String(error);
    }
  });
  expect(() => requireRoom("a", 1000000)).toThrow(/Too many large bodies/);
  expect(() => requireRoom("a", undefined)).toThrow(/Too many large bodies/);
  requireRoom("a", 1000);
  requireRoom("b", 1000000);
  expect(take("a", ordinary)).toBeUndefined();
  expect((await Promise.all(rest)).filter((one) => one !== "taken").length).toBeGreaterThan(2);
  expect(refused.length).toBeGreaterThan(2);
  expect(new Set(refused)).toEqual(new Set(["large-bodies"]));
});

test("small bodies are charged by their values, and ordinary ones wait for nothing", () => {
  // No time passes, in which what was taken would be paid back.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { take, requireRoom } = createLoopShares();
  const calls = Array.from({ length: 2000 }, () => take("a", ordinary));
  expect(calls.filter((wait) => wait !== undefined)).toEqual([]);
  const flood = Array.from({ length: 300 }, () => {
    try {
      return take("b", small) === undefined ? "at once" : "waits";
    } catch (error) {
      return String(error);
    }
  });
  expect(flood[0]).toBe("at once");
  expect(flood).toContain("waits");
  expect(flood.at(-1)).toMatch(/Too many values in small bodies: send fewer, or try again in 6 s/);
  expect(() => requireRoom("b", 15_000)).toThrow(/Too many values/);
  // Large bodies have a share apart.
  expect(take("b", large)).toBeUndefined();
});

test("what comes of a form is charged to the share of large bodies", () => {
  const { spendForm, take, requireRoom } = createLoopShares();
  spendForm("a", 100 * 1024 * 1024);
  expect(() => requireRoom("a", 1_000_000)).toThrow(/Too many large bodies/);
  expect(take("a", ordinary)).toBeUndefined();
});

test("bodies are charged before they are read", async () => {
  const { take, requireRoom } = createLoopShares();
  const bytes = 8 * 1024 * 1024;
  const body = { bytes, values: 0 };
  // Each is 168 ms of the loop: 1.7 s of the share. A second is saved.
  const waits = Array.from({ length: 4 }, () => take("a", body));
  expect(waits[0]).toBeUndefined();
  expect(waits.slice(1)).not.toContain(undefined);
  expect(() => take("a", body)).toThrow(/Too many large bodies/);
  expect(() => requireRoom("a", bytes)).toThrow(/Too many large bodies/);
  await waits[1];
});

test("bodies that are not read yet wait for the values that they may hold, which are given back", () => {
  const { take, correct } = createLoopShares();
  const atMost = { bytes: 200_000, values: 100_000 };
  // Each may take 104 ms of the loop: 1 s of the share. One more second is saved.
  const waits = Array.from({ length: 600 }, () => {
    try {
      return take("a", atMost) === undefined ? "at once" : "waits";
    } catch {
      return "refused";
    }
  });
  const countOf = (end: string) => waits.filter((one) => one === end).length;
  expect([countOf("at once"), countOf("waits"), countOf("refused")]).toEqual([1, 5, 594]);
  for (let nth = 0; nth < 6; nth++) correct("a", atMost, { ...atMost, values: 10 });
  expect(take("a", atMost)).toBeUndefined();
});

test("messages that mention many agents follow each other at a pace, and their bodies do not wait", async () => {
  const { takeTurns, take } = createLoopShares();
  // Each is 98 ms of the loop: a second of the share. One more is saved.
  const waits = Array.from({ length: 7 }, () => takeTurns("a", 50));
  expect(waits.map((wait) => wait === undefined)).toEqual([true, true, ...Array(5).fill(false)]);
  expect(() => takeTurns("a", 50)).toThrow(
    /Too many messages that mention many agents: try again in \d s/,
  );
  expect(takeTurns("b", 50)).toBeUndefined();
  expect(take("a", ordinary)).toBeUndefined();
  await waits[2];
});
