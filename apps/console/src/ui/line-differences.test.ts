import { expect, test } from "vitest";
import { differenceRows } from "./line-differences.ts";

/** Each row as a line of a text. */
const shown = (before: string, after: string) =>
  differenceRows(before, after).map((row) =>
    row.kind === "skipped"
      ? `… ${row.count}`
      : `${row.before ?? "-"} ${row.after ?? "-"} ${row.kind} ${row.text}`,
  );

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

test.for([
  ["no difference", "a\nb", "a\nb", []],
  [
    "a changed line",
    "a\nb\nc\n",
    "a\nx\nc\n",
    ["1 1 same a", "2 - removed b", "- 2 added x", "3 3 same c"],
  ],
  ["an added end", "a\n", "a\n\nb\n", ["1 1 same a", "- 2 added ", "- 3 added b"]],
  ["nothing before", "", "a\n", ["- 1 added a"]],
  ["nothing after", "a\n", "", ["1 - removed a"]],
] as const)("shows %s", ([, before, after, rows]) => {
  expect(shown(before, after)).toEqual(rows);
});

test("omits lines far from a difference", () => {
  const before = `${numbered(1, 10)}a\n${numbered(12, 30)}b\n${numbered(32, 40)}`;
  const after = before.replace("a\n", "").replace("b\n", "c\n");
  expect(shown(before, after)).toEqual([
    "… 7",
    "8 8 same 8",
    "9 9 same 9",
    "10 10 same 10",
    "11 - removed a",
    "12 11 same 12",
    "13 12 same 13",
    "14 13 same 14",
    "… 13",
    "28 27 same 28",
    "29 28 same 29",
    "30 29 same 30",
    "31 - removed b",
    "- 30 added c",
    "32 31 same 32",
    "33 32 same 33",
    "34 33 same 34",
    "… 6",
  ]);
});
