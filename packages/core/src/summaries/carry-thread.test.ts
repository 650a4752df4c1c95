import { expect, it } from "vitest";
import { carryFile, carryOver } from "./carry-thread.ts";

const textsOf = (text: string) => carryOver([], text).map((item) => `${item.kind} ${item.text}`);

it.each([
  ["See https://example.com/a?b=1.", ["url https://example.com/a?b=1"]],
  ["invoice INV-2024-0193 is open", ["id INV-2024-0193"]],
  ["run sfi_Hr5Tb8Nw3J failed", ["id sfi_Hr5Tb8Nw3J"]],
  ["6f1c2b1e-1b1a-4c7e-9d53-0a1b2c3d4e5f", ["id 6f1c2b1e-1b1a-4c7e-9d53-0a1b2c3d4e5f"]],
  ["issue #421 of customer 4711002", ["id #421", "id 4711002"]],
  ["write to ann.b@example.co.uk today", ["id ann.b@example.co.uk"]],
  [
    "reports/2024/q3 final.xlsx and notes.md",
    ["file final.xlsx", "file notes.md", "id reports/2024/q3"],
  ],
  [
    "it weighs 12.5 kg, costs €1,250.00 and 19 %",
    ["quantity 12.5 kg", "quantity €1,250.00", "quantity 19 %"],
  ],
  ["- [ ] call Bob\n- [x] call Ann\nTODO: pay", ["task call Bob", "task pay"]],
  ["nothing of note was said in 2024", []],
])("copies from %j", (text, items) => {
  expect(textsOf(text)).toEqual(items);
});

it("drops tasks that are ticked off, and keeps what is named last", () => {
  const before = carryOver([], "- [ ] call Bob\n- [ ] pay\nAB-1234 CD-5678");
  const after = carryOver(before, "- [x] call Bob\nAB-1234 again");
  expect(after.map(({ text }) => text)).toEqual(["pay", "CD-5678", "AB-1234"]);
});

it("is bounded: of many, the newest", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `ID-${index}`).join(" ");
  const items = carryOver([], many);
  expect(items).toHaveLength(120);
  expect(items.at(-1)).toEqual({ kind: "id", text: "ID-4999" });
  const long = carryOver([], `https://example.com/${"a".repeat(550)}`);
  expect(long).toEqual([]);
  expect(carryFile(items, "Report of May").at(-1)).toEqual({ kind: "file", text: "Report of May" });
});

it("reads a megabyte of anything in a second", () => {
  const texts = [
    "a-".repeat(500_000),
    "1".repeat(1_000_000),
    "[ ] ".repeat(250_000),
    "a.".repeat(500_000),
  ];
  const startedAt = performance.now();
  for (const text of [...texts, "a@".repeat(500_000), "x/".repeat(500_000)]) carryOver([], text);
  expect(performance.now() - startedAt).toBeLessThan(6000);
});
