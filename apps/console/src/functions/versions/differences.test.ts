import { expect, test } from "vitest";
import { differencesOf, type PartDifference } from "./differences.ts";

const compare = (before: Record<string, string>, after: Record<string, string>) =>
  differencesOf(new Map(Object.entries(before)), new Map(Object.entries(after)));

const signs = { same: " ", added: "+", removed: "-" };
const shown = (parts: readonly PartDifference[]) =>
  parts.map(({ name, hunks }) => [
    name,
    ...hunks.map((lines) =>
      lines.map(
        (line) => `${line.oldLine ?? ""}|${line.newLine ?? ""}${signs[line.kind]}${line.text}`,
      ),
    ),
  ]);

test("shows lines that differ with those around them, and their numbers", () => {
  const old = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
  const now = old.with(9, "changed").toSpliced(10, 0, "new");
  expect(shown(compare({ a: old.join("\n"), b: "x" }, { a: now.join("\n"), b: "x" }))).toEqual([
    [
      "a",
      [
        "7|7 line 7",
        "8|8 line 8",
        "9|9 line 9",
        "10|-line 10",
        "|10+changed",
        "|11+new",
        "11|12 line 11",
        "12|13 line 12",
        "13|14 line 13",
      ],
    ],
  ]);
});

test("shows parts that came and went, and a line break at the end", () => {
  expect(shown(compare({ gone: "a\n" }, { come: "b" }))).toEqual([
    ["gone", ["1|-a"]],
    ["come", ["|1+b"]],
  ]);
  expect(shown(compare({ a: "x" }, { a: "x\n" }))).toEqual([["a", ["1|-x", "|1+x"]]]);
  expect(compare({ a: "x" }, { a: "x" })).toEqual([]);
});
