import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { replaceBlock } from "./docs-block.ts";

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
