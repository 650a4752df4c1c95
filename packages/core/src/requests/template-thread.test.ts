import fc from "fast-check";
import { expect, it } from "vitest";
import type { RequestReference } from "@parley/db";
import { describeBody, escapeText, type SourceText, type StoredBody } from "./template-thread.ts";

const long = (word: string) => `${word} "quoted"\n\u2028 and \\ escaped — ${"ä😀".repeat(20)}`;
const marker = "@@test-";

const described = (
  body: unknown,
  sources: readonly SourceText[] = [],
  files: readonly RequestReference[] = [],
) => describeBody({ json: JSON.stringify(body), marker, files, sources });

/** The body that a template stands for. */
function rebuilt({ template, pieces }: StoredBody, sources: readonly SourceText[]): string {
  return template
    .map((one) => {
      if (typeof one === "string") return one;
      if ("piece" in one) return pieces[one.piece]!;
      return escapeText(sources.find(({ reference }) => reference === one)!.text);
    })
    .join("");
}

const message = (id: string): SourceText => ({ text: long(id), reference: { message: id } });

it("refers to texts of rows, also inside of other texts, and keeps the rest", () => {
  const sources = [message("one"), message("two")];
  const body = {
    model: "m",
    input: [
      { role: "user", content: sources[0]!.text },
      { role: "assistant", content: `Ann: ${sources[1]!.text}!` },
      { role: "user", content: "short" },
    ],
  };
  const stored = described(body, sources);
  expect(stored.template).toEqual([
    '{"model":"m","input":[{"role":"user","content":"',
    { message: "one" },
    '"},{"role":"assistant","content":"Ann: ',
    { message: "two" },
    '!"},{"role":"user","content":"short"}]}',
  ]);
  expect(stored.pieces).toEqual({});
  expect(rebuilt(stored, sources)).toBe(JSON.stringify(body));
});

it("stores long JSON as a piece, which is the same in each request", () => {
  const tools = Array.from({ length: 40 }, (_, index) => ({
    name: `tool${index}`,
    parameters: {},
  }));
  const request = (text: string) =>
    described({ messages: [{ role: "user", content: text }], tools });
  const [first, second] = [request("a"), request("b")];
  expect(Object.values(first.pieces)).toEqual([JSON.stringify(tools)]);
  expect(second.pieces).toEqual(first.pieces);
  const unknown = described({ messages: [{ role: "user", content: "x".repeat(2000) }] });
  expect(Object.values(unknown.pieces)).toEqual(["x".repeat(2000)]);
});

it("refers to files in place of their base64", () => {
  const file = { file: "fil_1", sha256: "00" };
  const url = `data:image/png;base64,${marker}0;`;
  const stored = described(
    { input: [{ role: "user", content: [{ image_url: url }] }] },
    [],
    [file],
  );
  expect(stored.template.slice(1)).toEqual([file, '"}]}]}']);
});

it("keeps a body that JSON.stringify has not written, apart from its files", () => {
  const json = `{ "a": 1.0, "b": "${marker}0;" }`;
  const file = { file: "fil_1", sha256: "00" };
  const stored = describeBody({ json, marker, files: [file], sources: [] });
  expect(
    stored.template.map((one) => (typeof one === "string" ? one : Object.keys(one)[0])),
  ).toEqual(["piece", "file", "piece"]);
  expect(Object.values(stored.pieces).join("X")).toBe('{ "a": 1.0, "b": "X" }');
});

it.each([
  [{ system: "s", messages: [] }, ["instructions", "other"]],
  [{ messages: [{ role: "developer", content: "" }] }, ["instructions", "other"]],
  [{ input: [{ type: "function_call" }] }, ["answers", "other"]],
  [{ input: [{ type: "function_call_output" }] }, ["other", "results"]],
  [{ contents: [{ role: "model", parts: [] }] }, ["answers", "other"]],
  [{ contents: [{ role: "user", parts: [{ functionResponse: {} }] }] }, ["other", "results"]],
  [{ messages: [{ role: "user", content: [{ type: "tool_result" }] }] }, ["other", "results"]],
  [{ messages: [{ role: "user", content: "" }], tools: [] }, ["messages", "other", "tools"]],
])("divides %j into %j", (body, expected) => {
  const { parts } = described(body);
  expect(Object.keys(parts).toSorted()).toEqual(expected);
  const bytes = Object.values(parts).reduce((sum, one) => sum + one, 0);
  expect(bytes).toBe(JSON.stringify(body).length);
});

it("gives back every body byte for byte", () => {
  const word = fc.constantFrom(long("one"), long("two"), long("three"), "x", "y".repeat(1500));
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.array(word).map((words) => words.join("")),
  );
  const value = fc.letrec((tie) => ({
    value: fc.oneof(text, fc.double({ noNaN: true }), fc.boolean(), tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 4 }),
    object: fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
  })).value;
  const body = fc.record({ model: text, messages: fc.array(value), tools: value, "1": value });
  const sources = ["one", "two", "three"].map(message);
  fc.assert(
    fc.property(body, (given) => {
      const stored = described(given, sources);
      expect(rebuilt(stored, sources)).toBe(JSON.stringify(given));
    }),
  );
});

it("describes a megabyte of anything within a second", () => {
  const sources = Array.from({ length: 500 }, (_, index) => message(`m${index}`));
  const bodies = [
    Array.from({ length: 10_000 }, (_, index) => ({
      role: "user",
      content: `${"word ".repeat(20)}${index}`,
    })),
    [{ role: "user", content: "a".repeat(1_000_000) }],
    sources.flatMap(({ text }) => [{ role: "user", content: `From Ann: ${text}` }]),
  ];
  const startedAt = performance.now();
  for (const messages of bodies) described({ messages }, sources);
  expect(performance.now() - startedAt).toBeLessThan(3000);
});
