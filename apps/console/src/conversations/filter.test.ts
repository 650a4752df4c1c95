import { expect, test } from "vitest";
import { matchesFilter } from "./filter.ts";

const conversation = { title: "Refund of Order 1042", unread: true, actionRequired: false };

test.for([
  [{}, true],
  [{ q: "order refund" }, true],
  [{ q: " ORDER " }, true],
  [{ q: "order 7" }, false],
  [{ show: "unread" }, true],
  [{ show: "waiting" }, false],
  [{ show: "unread", q: "bike" }, false],
] as const)("with %o shows it: %s", ([filter, isShown]) => {
  expect(matchesFilter(conversation, filter)).toBe(isShown);
});
