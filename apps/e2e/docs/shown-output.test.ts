import { expect, test } from "vitest";
import { findDifference } from "./shown-output.ts";

const compare = (language: string, text: string, printed: string, known = new Map()) =>
  findDifference({ language, text }, printed, known);

test.for<[language: string, shown: string, printed: string]>([
  ["json", '{"a": [1,\n  2]}', '{"a":[1,2]}\n'],
  ["json", '{"a":1,…,"z":{"b":2}}', '{"a":1,"m":{"z":1},"z":{"b":2}}'],
  ["json", '{"a":"b  c…"}', '{"a":"b  c d"}'],
  ["json", '{"sId":"sfi_8kQd2LrT0a","id":4}', '{"sId":"sfi_aaaaaaaaaa","id":1003}'],
  ["json", '{"a":"buZQ4R1JCl"}{"b":"buZQ4R1JCl"}', '{"a":"xxxxxxxxxx"}{"b":"xxxxxxxxxx"}'],
  [
    "text",
    "at 1795221620157, 2026-11-21T00:40:20.157Z",
    "at 1800000000000, 2027-01-01T00:00:00.0Z",
  ],
  ["http", "HTTP/1.1 200 OK\n…\nA: b", "HTTP/1.1 200 OK\r\nc: d\r\nA: b\r\n\r\n"],
])("what is shown as %s stands for what was printed: %s", ([language, shown, printed]) => {
  expect(compare(language, shown, printed)).toBe(undefined);
});

test.for<[language: string, shown: string, printed: string]>([
  ["json", '{"a":1}', '{"a":1,"b":2}'],
  ["json", '{"a":1,…}', '{"b":1,"a":1}'],
  ["json", '{…,"a":1}', '{"b":1,"a":12}'],
  ["json", '{"a":"b  c"}', '{"a":"b c"}'],
  ["json", '{"sId":"sfi_8kQd2LrT0a"}', '{"sId":"sfn_aaaaaaaaaa"}'],
  ["json", '{"a":"buZQ4R1JCl"}{"b":"buZQ4R1JCl"}', '{"a":"xxxxxxxxxx"}{"b":"yyyyyyyyyy"}'],
  ["text", "at 1795221620157", "at 7"],
])("what is shown as %s is not everything: %s", ([language, shown, printed]) => {
  expect(compare(language, shown, printed)).toContain("is not where it should be");
});

test("an id that a page shows again is the one it was", () => {
  const known = new Map([["sfi_8kQd2LrT0a", "sfi_aaaaaaaaaa"]]);
  expect(compare("text", "sfi_8kQd2LrT0a", "sfi_aaaaaaaaaa", known)).toBe(undefined);
  expect(compare("text", "sfi_8kQd2LrT0a", "sfi_bbbbbbbbbb", known)).toBeDefined();
});
