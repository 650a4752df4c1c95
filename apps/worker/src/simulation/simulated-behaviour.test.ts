import { createThreads } from "@parley/core";
import { type SimulatedProgram, type ScriptedBehaviour, SimulatedBehaviour } from "@parley/schema";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Execution } from "../executor/executor.ts";
import { createSimulatedExecutor } from "./simulated-executor.ts";

const threads = createThreads();
const executor = createSimulatedExecutor(threads, 0);
afterAll(() => threads.close());

let functions = 0;
const execute = (behaviour: object, more: Partial<Execution<SimulatedProgram>> = {}) =>
  executor.execute({
    workspaceId: 1,
    functionId: `function ${++functions}`,
    version: 1,
    program: { type: "simulated", behaviour: SimulatedBehaviour.parse(behaviour) },
    input: "null",
    timezone: "Europe/Paris",
    seed: "seed",
    attempt: 1,
    limits: { timeoutMs: 60_000, maxOutputBytes: 262_144, maxLogLines: 1000 },
    signal: new AbortController().signal,
    ...more,
  });
const play = (behaviour: object, more: Partial<Execution<SimulatedProgram>> = {}) =>
  Array.fromAsync(execute(behaviour, more));
const print = (text: string) => ({ log: { stream: "stdout", text } });
const succeeded = (result: unknown) => ({ type: "succeeded", result });

describe("a script", () => {
  it.each([
    ['{"sum": a + b}', { a: 1, b: 2 }, { sum: 3 }],
    ["$", [1, [2]], [1, [2]]],
    ["$count(words)", { words: ["a", "b"] }, 2],
    ["nothing", {}, null],
    ["items[x > 1].x", { items: [{ x: 1 }, { x: 2 }, { x: 3 }] }, [2, 3]],
    ["items.{'y': x}", { items: [{ x: 1 }, { x: 2 }] }, [{ y: 1 }, { y: 2 }]],
    ["$sum(items^(x).(x * 2))", { items: [{ x: 2 }, { x: 1 }] }, 6],
    ["$timezone & $index", {}, "Europe/Paris1"],
    ["$millis()", {}, Date.UTC(2000, 0, 1)],
    ["$now()", {}, "2000-01-01T00:00:00.000Z"],
    ["$now('[H01]:[m01]', '+0200')", {}, "02:00"],
    [undefined, {}, null],
  ])("gives the result of %s", async (result, input, expected) => {
    const behaviour = result === undefined ? {} : { result };
    expect(await play(behaviour, { input: JSON.stringify(input) })).toEqual([succeeded(expected)]);
  });

  it.each([
    ['$error("no")', "threw"],
    ['1 + "a"', "threw"],
    ["((", "threw"],
    ["$unknown()", "threw"],
    ["function($x) { $x }", "bad_return"],
    ["$count([1..10000000])", "out_of_memory"],
    ['$length($pad("", 1000000000, "abc"))', "out_of_memory"],
    ["($f := function() { $f() }; $f())", "timed_out"],
    ["$count([1..1000000][$ % 2 = 0 and $count([1..1000]) > 0])", "timed_out"],
  ])("gives the failure of %s as %s", async (result, code) => {
    expect(await play({ result })).toEqual([
      { type: "errored", error: { code, message: expect.stringMatching(/./) } },
    ]);
  });

  it("fills templates in", async () => {
    const steps = [
      print("hi {{name}}, {{ {'a': [1]} }} {{missing}}{{list}} {{open"),
      { ...print("{{$index}} of 2"), repeat: 2 },
    ];
    const error = { code: "threw", message: "not {{name}}" };
    const input = JSON.stringify({ name: "Ada", list: [true] });
    expect(await play({ steps, error }, { input })).toEqual([
      { type: "log", stream: "stdout", text: 'hi Ada, {"a":[1]} [true] {{open' },
      { type: "log", stream: "stdout", text: "1 of 2" },
      { type: "log", stream: "stdout", text: "2 of 2" },
      { type: "errored", error: { code: "threw", message: "not Ada" } },
    ]);
  });

  it("fails at once if its runs would evaluate 32 million templates", async () => {
    const line = { ...print("{{x}}".repeat(3276)), repeat: 1000 };
    expect(await play({ steps: Array.from({ length: 10 }, () => line) })).toEqual([
      {
        type: "errored",
        error: { code: "invocation_failed", message: expect.stringContaining("10000") },
      },
    ]);
  });

  it("is evaluated while it is played", async () => {
    const steps = [
      { ...print("{{$index}}"), repeat: 150 },
      print("{{($f := function() { $f() }; $f())}}"),
    ];
    const events = await play({ steps });
    expect(events.slice(0, 100)).toEqual(
      Array.from({ length: 100 }, (_, index) => {
        return { type: "log", stream: "stdout", text: String(index + 1) };
      }),
    );
    expect(events.at(-1)).toMatchObject({ type: "errored", error: { code: "timed_out" } });
  });

  it("ends at a template that fails", async () => {
    const steps = [print("a"), print("{{$error('no')}}"), print("b")];
    expect(await play({ steps, result: "1" })).toEqual([
      { type: "log", stream: "stdout", text: "a" },
      { type: "errored", error: expect.objectContaining({ code: "threw" }) },
    ]);
  });

  it("ends at its timeout, also if nothing waits", async () => {
    const steps = [
      { takesMs: 59_000, ...print("in time") },
      { takesMs: 2000, ...print("late") },
    ];
    expect(await play({ steps })).toEqual([
      { type: "log", stream: "stdout", text: "in time" },
      { type: "errored", error: expect.objectContaining({ code: "timed_out" }) },
    ]);
  });

  it("fails at its rate", async () => {
    const errors = [
      { code: "overloaded", message: "busy", rate: 0.25, status: 503 },
      { code: "threw", message: "no", rate: 0.25, at: 0.5 },
    ];
    const behaviour = { durationMs: 10, steps: [{ at: 0.8, ...print("late") }], errors };
    const runs = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => play(behaviour, { seed: String(index) })),
    );
    const ends = runs.map((events) => {
      const last = events.at(-1);
      return `${events.length} ${last?.type === "errored" ? last.error.code : last?.type}`;
    });
    const counts = Map.groupBy(ends, (end) => end);
    expect([...counts.keys()].toSorted()).toEqual(["1 threw", "2 overloaded", "2 succeeded"]);
    expect(counts.get("1 threw")!.length).toBeGreaterThan(200);
    expect(counts.get("1 threw")!.length).toBeLessThan(300);
    expect(counts.get("2 overloaded")!.length).toBeGreaterThan(200);
    expect(counts.get("2 overloaded")!.length).toBeLessThan(300);
  });

  const duration = fc.oneof(
    fc.nat(50),
    fc.record({
      distribution: fc.constant("uniform"),
      minMs: fc.nat(5),
      maxMs: fc.integer({ min: 5, max: 50 }),
    }),
    fc.record({ distribution: fc.constant("normal"), meanMs: fc.nat(50), deviationMs: fc.nat(50) }),
    fc.record({ distribution: fc.constant("lognormal"), medianMs: fc.nat(50), sigma: fc.nat(10) }),
    fc.record({ distribution: fc.constant("exponential"), meanMs: fc.nat(600_000) }),
  );
  const step = fc.record(
    {
      takesMs: duration,
      repeat: fc.integer({ min: 1, max: 5 }),
      log: fc.record({
        stream: fc.constant("stdout"),
        text: fc.constantFrom("x", "{{a}}", "{{$random()}}"),
      }),
    },
    { requiredKeys: ["log"] },
  );
  const behaviour = fc.record({
    durationMs: duration,
    steps: fc.array(step, { maxLength: 4 }),
    result: fc.constantFrom("a", "$random()", "$millis()"),
    errors: fc.constantFrom([], [{ code: "threw", message: "{{a}}", rate: 0.5, at: 0.5 }]),
  });

  it("gives the same run for the same seed and input", async () => {
    await fc.assert(
      fc.asyncProperty(behaviour, fc.string(), fc.json(), async (one, seed, input) => {
        const first = await play(one, { seed, input });
        expect(await play(one, { seed, input, attempt: 3 })).toEqual(first);
        expect(first.filter(({ type }) => type === "succeeded" || type === "errored")).toEqual([
          first.at(-1),
        ]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the schema of behaviours", () => {
  const steps = (repeat: number, count: number) =>
    Array.from({ length: count }, () => ({ repeat, ...print("x") }));
  it.each([
    ["too many events", { steps: steps(1000, 11) }, "steps"],
    [
      "rates above 1",
      { errors: [0.6, 0.6].map((rate) => ({ code: "threw", message: "", rate })) },
      "errors",
    ],
    ["at beside takesMs", { steps: [{ at: 0, takesMs: 1 }] }, "steps.0.takesMs"],
    ["an unknown type", { type: "live" }, "type"],
    ["no recordings", { type: "recorded", recordings: [] }, "recordings"],
    [
      "too large recordings",
      {
        type: "recorded",
        recordings: [{ input: "x".repeat(3e6), outcome: { status: "succeeded", result: 1 } }],
      },
      "recordings",
    ],
    [
      "an empty span",
      { durationMs: { distribution: "uniform", minMs: 2, maxMs: 1 } },
      "durationMs.maxMs",
    ],
  ])("refuses %s", (_name, one, path) => {
    const { error } = SimulatedBehaviour.safeParse(one);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  it("accepts behaviours from before there were seeds", () => {
    const stored: ScriptedBehaviour = {
      durationMs: 5,
      steps: [{ at: 0.5, progress: { done: 1, total: 2, label: "half" } }],
      error: { code: "threw", message: "x" },
    };
    expect(SimulatedBehaviour.parse(stored)).toEqual(stored);
  });
});

describe("recordings", () => {
  const recorded = (input: unknown, result: unknown) => ({
    input,
    durationMs: 5,
    events: [{ afterMs: 2, ...print(String(result)) }],
    outcome: { status: "succeeded", result },
  });
  const recordings = [recorded({ a: 1, b: { c: 2, d: 3 } }, "one"), recorded(null, "two")];

  it("are found by their input in any order of its members", async () => {
    const input = '{"b":{"d":3,"c":2},"a":1}';
    expect(await play({ type: "recorded", recordings }, { input })).toEqual([
      { type: "log", stream: "stdout", text: "one" },
      succeeded("one"),
    ]);
  });

  it("give an error for another input, or any of them", async () => {
    const more = { input: '{"a":2}' };
    expect(await play({ type: "recorded", recordings }, more)).toEqual([
      { type: "errored", error: expect.objectContaining({ code: "not_supported" }) },
    ]);
    const behaviour = { type: "recorded", recordings, otherwise: "seeded" };
    const ends = await Promise.all(
      Array.from({ length: 20 }, async (_, seed) => {
        return JSON.stringify((await play(behaviour, { ...more, seed: String(seed) })).at(-1));
      }),
    );
    expect(new Set(ends).size).toBe(2);
  });
});
