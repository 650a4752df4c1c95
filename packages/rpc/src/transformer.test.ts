import superjson, { type SuperJSONResult } from "superjson";
import { describe, expect, it } from "vitest";
import { transformer } from "./transformer.ts";

describe("transformer", () => {
  it.each([
    { result: { constructor: 1, prototype: [2], nested: { constructor: null } } },
    { text: "a\nb\u2028c😀", list: [0, -1.5, true, null] },
    null,
  ])("gives clients the answer %j", (answer: unknown) => {
    const sent = JSON.stringify(transformer.serialize(answer));
    const received: unknown = superjson.deserialize(JSON.parse(sent) as SuperJSONResult);
    expect(JSON.stringify(received)).toBe(JSON.stringify(answer));
  });

  it("reads what clients write, without references", () => {
    const shared = { a: 1 };
    const input = { when: new Date(0), left: shared, right: shared };
    const sent = JSON.stringify(superjson.serialize(input));
    expect(sent).toContain("referentialEqualities");
    const read = transformer.deserialize(JSON.parse(sent) as SuperJSONResult) as typeof input;
    expect(read).toEqual(input);
    expect(read.right).not.toBe(read.left);
  });
});
