import { describe, expect, it } from "vitest";
import { ParleyError } from "../errors/errors.ts";
import { cleanJson, parseJson } from "./json.ts";

const clean = (text: string) => cleanJson(parseJson(text));
const refusal = (text: string) => {
  try {
    return { accepted: clean(text) };
  } catch (error) {
    const { type, status, message, issues } = error as ParleyError;
    expect(error).toBeInstanceOf(ParleyError);
    expect([type, status]).toEqual(["invalid_request_error", 400]);
    expect(message).toMatch(/^Invalid request body: /);
    return issues?.[0] ?? message;
  }
};
const nested = (levels: number, [open, close]: [string, string]) =>
  open.repeat(levels) + close.repeat(levels);

describe("a JSON body", () => {
  it.each(["{}", "[]", "null", '"text"', "0", "true", '{"a":[{"b":null}]}', " [1, 2 ] "])(
    "%s is what JSON.parse makes of it",
    (text) => {
      expect(clean(text)).toEqual(JSON.parse(text));
    },
  );

  it.each(["", "{", "{'a':1}", "[1,]", "undefined", "NaN", '"\u0001"', "01"])(
    "%j is malformed",
    (text) => {
      expect(refusal(text)).toBe("Invalid request body: malformed JSON");
    },
  );

  it.each([
    ['{"a":"\\u0000"}', "a"],
    ['{"a":[{"b":"x\\ud800"}]}', "a[0].b"],
    ['{"a":{"b":"\\udc00\\ud800"}}', "a.b"],
    ['"\\u0000"', ""],
  ])("%s is refused for its text, with its path", (text, path) => {
    expect(refusal(text)).toEqual({ path, message: "must not contain NUL or a lone surrogate" });
  });

  it.each([
    ['{"a":{"x\\u0000":1}}', "a"],
    ['{"\\ud800":1}', ""],
  ])("%s is refused for the name of a member", (text, path) => {
    const message = "must not have a name with NUL or a lone surrogate";
    expect(refusal(text)).toEqual({ path, message });
  });

  it("may contain characters of every plane", () => {
    expect(clean('{"\\ud83d\\ude00":"\\ud83d\\ude00 \u{1F600} \\u2028"}')).toEqual({
      "\u{1F600}": "\u{1F600} \u{1F600} \u2028",
    });
  });

  it.each<[string, [string, string]]>([
    ["arrays", ["[", "]"]],
    ["objects", ['{"a":', "}"]],
  ])("may be nested 64 levels deep in %s, and no deeper", (_name, brackets) => {
    const inner = brackets[0] === "[" ? brackets : (['{"a":', "}"] as [string, string]);
    const build = (levels: number) => nested(levels, inner).replace(/:(?=\})/, ":0");
    expect(clean(build(64))).toEqual(JSON.parse(build(64)));
    expect(refusal(build(65))).toMatchObject({ message: "must not be nested deeper than 64" });
  });

  it("is refused, not crashed over, when it is nested a hundred thousand levels deep", () => {
    expect(refusal(nested(100_000, ["[", "]"]))).toBeTypeOf("object");
    expect(refusal(nested(1_000_000, ["[", "]"]))).toMatch(/^Invalid request body: /);
  });

  it.each(["9007199254740991", "-9007199254740991", "0.1234567890123456789", "1e300", "-0"])(
    "keeps the number %s",
    (number) => {
      expect(clean(`{"a":${number}}`)).toEqual({ a: Number(number) });
    },
  );

  it.each(["9007199254740993", "-9007199254740993", "12345678901234567890", "9007199254740992"])(
    "refuses the integer %s, which would lose digits",
    (number) => {
      const refused = { path: "a[1].b", message: "must be an integer within 2^53" };
      expect(refusal(`{"a":[0,{"b":${number}}]}`)).toEqual(refused);
    },
  );

  it("keeps digits that stand in a text", () => {
    expect(clean('{"a":"9007199254740993","9007199254740993":1}')).toEqual({
      a: "9007199254740993",
      "9007199254740993": 1,
    });
  });

  const many = (value: string, count: number) => `[${`${value},`.repeat(count - 1)}${value}]`;

  it.each(["0", '""', "[]", "{}", '"[,{\\"[,"', "null "])(
    "holds 100,000 values of %j at most",
    (value) => {
      expect(clean(many(value, 99_999))).toHaveLength(99_999);
      const refused = "Invalid request body: must hold at most 100000 values";
      expect(refusal(many(value, 100_000))).toBe(refused);
    },
  );

  it("counts lists, objects and members, however they stand in each other", () => {
    const [inside, beyond] = [33_333, 33_334].map((count) => many('{"a":[0]}', count));
    expect(clean(inside!)).toHaveLength(33_333);
    expect(refusal(beyond!)).toMatch(/at most 100000 values$/);
    expect(refusal("[".repeat(1_000_000))).toMatch(/at most 100000 values$/);
  });

  it("does not count what stands in a text", () => {
    const text = `\\"${"[{,".repeat(100_000)}\\`;
    expect(clean(JSON.stringify({ text }))).toEqual({ text });
  });

  it.each(["1e400", "-1e400"])("refuses the number %s, which has no value", (number) => {
    expect(refusal(`{"a":${number}}`)).toEqual({ path: "a", message: "must be a finite number" });
  });

  it("drops members that could reach a prototype, at every level", () => {
    const text =
      '{"__proto__":{"admin":true},"constructor":1,"prototype":2,' +
      '"a":[{"__proto__":{"\\u0000":1},"b":1,"constructor":{"prototype":{}}}]}';
    const value = clean(text);
    expect(JSON.stringify(value)).toBe('{"a":[{"b":1}]}');
    expect((value as { admin?: boolean }).admin).toBeUndefined();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});
