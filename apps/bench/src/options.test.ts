import { expect, test } from "vitest";
import { readCommandLine, sampleTimes } from "./options.ts";

test("a quick run takes as many samples, but short ones, after one long warm-up", () => {
  const full = readCommandLine(["create"]);
  const quick = readCommandLine(["create", "--quick"]);
  expect(quick.rounds).toBe(full.rounds);
  expect([0, 1].map((round) => sampleTimes(full, round))).toEqual([
    { warmUpMs: 1000, windowMs: 4000 },
    { warmUpMs: 1000, windowMs: 4000 },
  ]);
  expect([0, 1].map((round) => sampleTimes(quick, round))).toEqual([
    { warmUpMs: 1500, windowMs: 500 },
    { warmUpMs: 250, windowMs: 500 },
  ]);
});

test.each([
  ["two benchmarks", ["create", "post"], /One benchmark/],
  ["no length", ["create", "--seconds", "0"], /--seconds/],
  ["one benchmark's results to write", ["create", "--write"], /bench all/],
  ["a model of what asks none", ["create", "--model", "openai/gpt-5"], /bench compaction/],
  ["a model without a provider", ["compaction", "--model", "gpt-5"], /<provider>\/<model>/],
  ["an unknown option", ["create", "--fast"], /--fast/],
])("refuses %s", (_, words, message) => {
  expect(() => readCommandLine(words)).toThrow(message);
});

test("asks the simulated model unless another is named, also with slashes in its name", () => {
  const modelOf = (...words: string[]) => readCommandLine(["compaction", ...words]).model;
  expect(modelOf()).toBe("simulated/simulated-1");
  expect(modelOf("--model", "fireworks/accounts/a/b")).toBe("fireworks/accounts/a/b");
});
