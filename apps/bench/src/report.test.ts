import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { describeTarget, meetsTarget, replaceBlock } from "./report.ts";

const begin = "<!-- bench all: begin -->";
const end = "<!-- bench all: end -->";
const page = `# Page\n\nBefore.\n\n${begin}\nold\n${end}\n\nAfter.\n`;

describe("replaceBlock", () => {
  test("replaces what is between the marks, and nothing else", () => {
    const replaced = `# Page\n\nBefore.\n\n${begin}\n\nnew $& $1\n\n${end}\n\nAfter.\n`;
    expect(replaceBlock(page, "new $& $1\n")).toBe(replaced);
    expect(replaceBlock(replaced, "new $& $1")).toBe(replaced);
  });

  test.each([
    ["no marks", "Before.\n"],
    ["no end", `${begin}\nold\n`],
    ["the end before the beginning", `${end}\n${begin}\n`],
    ["two blocks", `${page}${page}`],
    ["two ends", `${page}${end}\n`],
  ])("refuses a page with %s", (_, text) => {
    expect(() => replaceBlock(text, "new")).toThrow(/one block/);
  });

  test("finds the block of the benchmarks' page", () => {
    const file = path.join(import.meta.dirname, "../../../docs/benchmarks.md");
    expect(replaceBlock(readFileSync(file, "utf8"), "new")).toContain(`${begin}\n\nnew\n\n${end}`);
  });
});

test.each([
  [{ atLeast: 0.9 }, 0.9, true],
  [{ atLeast: 0.9 }, 0.89, false],
  [{ atMost: 2 }, 2, true],
  [{ atMost: 2 }, 2.01, false],
  [{ below: 200 }, 199.9, true],
  [{ below: 200 }, 200, false],
  [{ atMost: 2 }, Number.NaN, false],
  [{ atLeast: 0 }, Number.NaN, false],
])("%o of %d: %o", (target, value, isMet) => {
  expect(meetsTarget(value, target)).toBe(isMet);
});

test("a target is described by its bound", () => {
  expect([{ atLeast: 0.9 }, { atMost: 2 }, { below: 200 }, {}].map(describeTarget)).toEqual([
    "at least 0.9",
    "at most 2",
    "below 200",
    "",
  ]);
});
