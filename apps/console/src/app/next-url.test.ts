import { expect, test } from "vitest";
import { codeIn, safeNext } from "./next-url.ts";

test.for([
  ["/conversations/a?view=timeline#x", "/conversations/a?view=timeline#x"],
  ["/", "/"],
  ["//elsewhere.test", "/"],
  ["/\\elsewhere.test", "/"],
  ["/\t/elsewhere.test", "/"],
  ["https://elsewhere.test", "/"],
  ["/sign-in?next=/a", "/"],
  [undefined, "/"],
  [7, "/"],
])("a sign-in with next=%s leads to %s", ([next, expected]) => {
  expect(safeNext(next)).toBe(expected);
});

test("finds the one-time code of a link", () => {
  expect(codeIn("#code=abc")).toBe("abc");
  expect(codeIn("#code=")).toBeUndefined();
  expect(codeIn("#section")).toBeUndefined();
  expect(codeIn("")).toBeUndefined();
});
