import { expect, test } from "vitest";
import { namesTag } from "./conditional.ts";

test("an If-None-Match may name several tags", () => {
  const tag = 'W/"a"';
  for (const header of ['"a"', 'W/"a"', '"b", W/"a"', '"x,y","a"', " * "]) {
    expect(namesTag(header, tag), header).toBe(true);
  }
  for (const header of [undefined, "", "a", '"aa"', 'W/"A"', '"*"', '"b", "c"']) {
    expect(namesTag(header, tag), header).toBe(false);
  }
});
