import fc from "fast-check";
import { expect, it } from "vitest";
import { type PlannedMessage, planRange, type RangeLimits } from "./plan-range.ts";

const none: RangeLimits = {
  openRank: null,
  keepsMessages: 2,
  tailBytes: 1000,
  maxBytes: 1_000_000,
};
const types = { u: "user_message", a: "agent_message", f: "content_fragment" } as const;

/** Messages of these types, each of `bytes`. */
const rowsOf = (said: string, bytes = 10): PlannedMessage[] =>
  said.split("").map((type, rank) => ({ rank, type: types[type as keyof typeof types], bytes }));

it.each([
  ["uaua", {}, 1],
  ["uauaua", {}, 3],
  ["uauaua", { keepsMessages: 3 }, 1],
  ["uauaua", { keepsMessages: 6 }, undefined],
  // What was attached stays with its question.
  ["uafua", {}, 1],
  ["uafuafua", { keepsMessages: 4 }, 1],
  // An answer that is open stays with its question, and so does what follows.
  ["uauauaua", { openRank: 4 }, 3],
  ["uauauaua", { openRank: 3 }, 1],
  ["uauauaua", { openRank: 0 }, undefined],
  // People who talk to each other.
  ["uuuuuu", {}, 3],
  // Long messages: fewer stay.
  ["uauaua", { keepsMessages: 4, tailBytes: 20 }, 3],
  ["uauaua", { tailBytes: 5 }, 3],
  // A summary replaces no more than it may, but something.
  ["uauauaua", { maxBytes: 45 }, 3],
  ["uauauaua", { maxBytes: 1 }, 1],
  ["u", {}, undefined],
  ["", {}, undefined],
])("%j with %j ends at %j", (said, limits, end) => {
  expect(planRange(rowsOf(said), { ...none, ...limits })).toBe(end);
});

it("counts files for what stays, and not for what is replaced", () => {
  const rows = rowsOf("fuafuafua").map((row) =>
    row.type === "content_fragment" ? { ...row, fileBytes: 400 } : row,
  );
  const limits = { ...none, keepsMessages: 6 };
  expect(planRange(rows, { ...limits, tailBytes: 1000 })).toBe(2);
  // Two files are too long: one stays.
  expect(planRange(rows, { ...limits, tailBytes: 800 })).toBe(5);
  expect(planRange(rows, { ...limits, tailBytes: 1000, maxBytes: 30 })).toBe(2);
});

it("never cuts an open answer, its question, the newest question or what is attached to one", () => {
  const row = fc.record({
    type: fc.constantFrom(...Object.values(types)),
    bytes: fc.integer({ min: 0, max: 500 }),
    gap: fc.integer({ min: 1, max: 3 }),
  });
  const limits = fc.record({
    openRank: fc.option(fc.integer({ min: 0, max: 60 })),
    keepsMessages: fc.integer({ min: 2, max: 20 }),
    tailBytes: fc.integer({ min: 0, max: 4000 }),
    maxBytes: fc.integer({ min: 1, max: 8000 }),
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), limits, (given, bounds) => {
      let rank = -1;
      const rows = given.map(({ gap, ...one }) => ({ ...one, rank: (rank += gap) }));
      const end = planRange(rows, bounds);
      if (end === undefined) return;
      const tail = rows.filter((one) => one.rank > end);
      const replaced = rows.filter((one) => one.rank <= end);
      expect(replaced.length).toBeGreaterThan(0);
      expect(tail[0]?.type).not.toBe("agent_message");
      expect(replaced.at(-1)?.type).not.toBe("content_fragment");
      expect(tail.some(({ type }) => type === "user_message")).toBe(true);
      expect(end).toBeLessThan(bounds.openRank ?? Infinity);
    }),
    { numRuns: 500 },
  );
});
