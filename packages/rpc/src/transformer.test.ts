import { ParleyError } from "@parley/schema";
import fc from "fast-check";
import superjson, { type SuperJSONResult } from "superjson";
import { describe, expect, it } from "vitest";
import { transformer } from "./transformer.ts";

/** What arrives of what a client with stock superjson sends. */
const receive = (input: unknown): unknown =>
  transformer.deserialize(JSON.parse(JSON.stringify(superjson.serialize(input))));

/** What is wrong with what was sent, as the sender is told. */
function refusalOf(sent: unknown): string {
  try {
    return `accepted ${JSON.stringify(transformer.deserialize(sent))}`;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.type !== "invalid_request_error") throw error;
    return error.message.replace("Invalid request body: ", "");
  }
}

describe("an answer", () => {
  it.each([
    { result: { constructor: 1, prototype: [2], nested: { constructor: null } } },
    { text: "a\nb\u2028c😀", list: [0, -1.5, true, null] },
    null,
  ])("is %j to clients", (answer: unknown) => {
    const sent = JSON.stringify(transformer.serialize(answer));
    const received: unknown = superjson.deserialize(JSON.parse(sent) as SuperJSONResult);
    expect(JSON.stringify(received)).toBe(JSON.stringify(answer));
  });
});

describe("an input", () => {
  const at = new Date(0);

  it.each<[string, unknown]>([
    ["plain JSON", { a: [1, "x", null, true, { b: -1.5 }] }],
    ["times", { at, list: [new Date(1), { at: new Date(2) }], "a.b\\c": { "\\.": new Date(3) } }],
    ["members that are undefined", { a: undefined, b: { c: undefined }, "d.e": undefined, f: 1 }],
    ["undefined in a list", { list: [1, undefined, 3] }],
    ["bigints", { a: 0n, list: [-12n, 2n ** 64n, 10n ** 99n] }],
    [
      "Maps",
      {
        map: new Map<unknown, unknown>([
          ["a.b", new Map([[1, at]])],
          [{ c: 2n }, null],
        ]),
      },
    ],
    [
      "Sets",
      { set: new Set([1, "x", new Set([new Map([["y", undefined]]), at])]), none: new Set() },
    ],
    ["a Map with times as keys", new Map([[new Date(4), [new Date(5)]]])],
    ["a member without a name", { "": { "": at } }],
    ["minus zero", { a: -0, list: [-0] }],
    ["a time before and after years of four digits", [new Date(-1e14), new Date(1e15)]],
    ["a time alone", at],
    ["nothing", undefined],
  ])("arrives as it was: %s", (_name, input) => {
    expect(receive(input)).toStrictEqual(input);
  });

  it("arrives as it was, whatever is in what", () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.date({ noInvalidDate: true }),
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    );
    // superjson does not write these three.
    const name = fc.string().filter((key) => !/^(?:__proto__|constructor|prototype)$/.test(key));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
        fc.array(tie("value"), { maxLength: 4 }).map((list) => new Set(list)),
        fc
          .array(fc.tuple(tie("value"), tie("value")), { maxLength: 4 })
          .map((pairs) => new Map(pairs)),
      ),
    }));
    fc.assert(
      fc.property(value, (input) => {
        const { json, meta } = superjson.serialize(input);
        // Equal bigints are one value to superjson.
        const values = { json, meta: { values: meta?.values, v: 1 } };
        expect(transformer.deserialize(JSON.parse(JSON.stringify(values)))).toStrictEqual(input);
      }),
      { numRuns: 300 },
    );
  });

  it("is read as older versions of superjson write it, without a version", () => {
    const values = { "a\\b": ["Date"], "c\\.d": ["Date"], e: [["Date"]].flat() };
    const [time, json] = [at.toISOString(), { "a\\b": "", "c.d": "", e: "" }];
    for (const name of Object.keys(json)) Object.assign(json, { [name]: time });
    expect(transformer.deserialize({ json, meta: { values } })).toStrictEqual({
      "a\\b": at,
      "c.d": at,
      e: at,
    });
  });

  it("may be plain, or superjson with empty notes", () => {
    expect(transformer.deserialize({ a: 1, meta: { values: "x" } })).toStrictEqual({
      a: 1,
      meta: { values: "x" },
    });
    expect(transformer.deserialize({ json: 1, meta: null })).toBe(1);
    expect(transformer.deserialize({ json: 1, meta: { values: null } })).toBe(1);
  });

  it("is not copied", () => {
    const json = { a: [{}] };
    expect(transformer.deserialize({ json })).toBe(json);
    expect(transformer.deserialize({ json, meta: { values: {}, v: 1 } })).toBe(json);
  });

  it.each<[unknown, string]>([
    [/x+/g, "regexp"],
    [new URL("http://parley.test"), "URL"],
    [new Error("x"), "Error"],
    [new Uint8Array([1]), "typed-array"],
  ])("may not hold %s", (value, kind) => {
    const sent = JSON.stringify(superjson.serialize({ in: { a: [value] } }));
    const refused = `must be JSON, a Date, bigint, Map, Set or undefined, and not ${kind}`;
    expect(refusalOf(JSON.parse(sent))).toBe(`in.a[0]: ${refused}`);
  });

  it.each([Number.NaN, -Infinity, Infinity])("may not hold %d", (value) => {
    const sent = JSON.stringify(superjson.serialize({ in: { a: [value] } }));
    expect(refusalOf(JSON.parse(sent))).toBe("in.a[0]: must be what superjson writes for number");
  });

  it("ignores what an application teaches superjson", () => {
    class Money {
      readonly amount = 1;
    }
    superjson.registerClass(Money);
    superjson.registerCustom<Money, string>(
      {
        isApplicable: (_value): _value is Money => false,
        serialize: () => "",
        deserialize: () => new Money(),
      },
      "money",
    );
    for (const kind of ["class", "custom", "symbol"]) {
      const values = { a: [[kind, kind === "class" ? "Money" : "money"]] };
      expect(refusalOf({ json: { a: {} }, meta: { values, v: 1 } })).toMatch(`and not ${kind}`);
    }
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a list", []],
    ["a text", "x"],
  ])("must not be %s", (_name, sent) => {
    expect(refusalOf(sent)).toBe(
      'must be an object with the input: plain JSON, or {"json": …} of superjson',
    );
  });
});
