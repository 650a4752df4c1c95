import type { SimulatedBehaviour } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { simulatedExecutor } from "./simulated-executor.ts";

const run = (
  behaviour: Partial<SimulatedBehaviour>,
  input: unknown = null,
  signal = new AbortController().signal,
) =>
  Array.fromAsync(
    simulatedExecutor.execute({
      behaviour: { durationMs: 0, steps: [], ...behaviour },
      input: JSON.stringify(input),
      signal,
    }),
  );

describe("the simulated executor", () => {
  it.each([
    ['{"sum": a + b}', { a: 1, b: 2 }, { sum: 3 }],
    ["$", [1, [2]], [1, [2]]],
    ["$count(words)", { words: ["a", "b"] }, 2],
    ["nothing", {}, null],
    ["items[x > 1].x", { items: [{ x: 1 }, { x: 2 }, { x: 3 }] }, [2, 3]],
    [undefined, {}, null],
  ])("gives the result of %s", async (result, input, expected) => {
    const behaviour = result === undefined ? {} : { result };
    expect(await run(behaviour, input)).toEqual([{ type: "succeeded", result: expected }]);
  });

  it.each(['$error("no")', '1 + "a"', "((", "$unknown()"])(
    "gives what %s throws as a value",
    async (result) => {
      const [event, ...others] = await run({ result });
      expect(event).toMatchObject({ type: "errored", error: { code: "threw" } });
      expect(others).toEqual([]);
    },
  );

  it("plays logs and progress in their order, then the error", async () => {
    const error = { code: "timed_out" as const, message: "Too slow" };
    const steps = [
      { at: 0.5, log: { stream: "stdout" as const, text: "half" } },
      { at: 1, progress: { done: 1, total: 1, label: "all" } },
    ];
    expect(await run({ durationMs: 4, steps, error, result: "1" })).toEqual([
      { type: "log", stream: "stdout", text: "half" },
      { type: "progress", done: 1, total: 1, label: "all" },
      { type: "errored", error },
    ]);
  });

  it("gives nothing that the database cannot hold", async () => {
    const input = { text: "a\u0000\ud800", "k\u0000": ["\u0000"] };
    expect(await run({ result: "$" }, input)).toEqual([
      { type: "succeeded", result: { text: "a\uFFFD", k: [""] } },
    ]);
    const [event] = await run({ result: '$error("a\\u0000\\ud800")' });
    expect(event).toMatchObject({ error: { message: expect.stringMatching(/^a\uFFFD$/) } });
  });

  it("gives the same events for the same input", async () => {
    const steps = [{ at: 0, log: { stream: "stderr" as const, text: "x" } }];
    const play = () => run({ steps, result: "$" }, { a: 1 });
    expect(await play()).toEqual(await play());
  });

  it("stops at once when its signal aborts", async () => {
    const abort = new AbortController();
    const running = run({ durationMs: 60_000 }, null, abort.signal);
    abort.abort();
    await expect(running).rejects.toThrow("aborted");
    await expect(run({}, null, abort.signal)).rejects.toThrow("aborted");
  });
});
