import type { ExecutionEvent } from "@parley/schema";
import { describe, expect, it } from "vitest";
import type { Execution, SandboxExecutor } from "./executor.ts";
import { limitExecution } from "./limit-execution.ts";

const execution = (limits: Partial<Execution["limits"]> = {}): Execution => ({
  workspaceId: 1,
  functionId: "function",
  version: 1,
  program: { type: "simulated", behaviour: { durationMs: 0, steps: [] } },
  input: "null",
  timezone: "UTC",
  seed: "seed",
  attempt: 1,
  limits: { timeoutMs: 5000, maxOutputBytes: 1024, maxLogLines: 10, ...limits },
  signal: new AbortController().signal,
});

const executorOf = (execute: SandboxExecutor["execute"]): SandboxExecutor => ({
  execute,
  close: () => Promise.resolve(),
});
const giving = (...events: unknown[]) =>
  executorOf(async function* () {
    // Events of an executor in another language or process are untyped.
    yield* events as ExecutionEvent[];
  });
const play = (executor: SandboxExecutor, limits: Partial<Execution["limits"]> = {}) =>
  Array.fromAsync(limitExecution(executor, execution(limits)));
const errored = (code: string) => ({ type: "errored", error: expect.objectContaining({ code }) });

describe("the limits around an executor", () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  it.each([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a BigInt", 1n],
    ["a cycle", cyclic],
    [
      "what throws",
      {
        toJSON: () => {
          throw new Error("no\nstack");
        },
      },
    ],
  ])("ends as bad_return for %s", async (_name, result) => {
    expect(await play(giving({ type: "succeeded", result }))).toEqual([errored("bad_return")]);
  });

  it("counts the bytes of a result, not its characters", async () => {
    const fits = { type: "succeeded", result: "é".repeat(511) };
    expect(await play(giving(fits))).toEqual([fits]);
    const over = { type: "succeeded", result: "é".repeat(512) };
    expect(await play(giving(over))).toEqual([errored("output_too_large")]);
  });

  it("does not count brackets in texts as depth", async () => {
    const fine = { type: "succeeded", result: ['["\\'.repeat(80)] };
    expect(await play(giving(fine))).toEqual([fine]);
  });

  it.each([
    ["without an end", giving()],
    ["with an unknown event", giving({ type: "finished" })],
    ["with an unknown code", giving({ type: "errored", error: { code: "E1", message: "x" } })],
    [
      "by throwing",
      executorOf(() => {
        throw new Error("broken");
      }),
    ],
    [
      "by throwing later",
      executorOf(async function* () {
        yield* [];
        throw new Error("broken");
      }),
    ],
  ])("ends as invocation_failed what ends %s", async (_name, executor) => {
    expect(await play(executor)).toEqual([errored("invocation_failed")]);
  });

  it("ignores events after the end", async () => {
    const end = { type: "succeeded", result: 1 };
    const late = { type: "log", stream: "stdout", text: "late" };
    expect(await play(giving(end, late, { type: "succeeded", result: 2 }))).toEqual([end]);
  });

  it("makes every event storable", async () => {
    const events = await play(
      giving(
        { type: "log", stream: "other", text: `\u0000${"x".repeat(16_374)}😀${"y".repeat(100)}` },
        { type: "progress", done: Number.NaN, total: Infinity, label: "\ud800" },
        { type: "errored", error: { code: "threw", message: "m\u0000".repeat(9000), status: 1.5 } },
      ),
    );
    const [line, progress, end] = events;
    const text = `${"x".repeat(16_374)}\uFFFD … (cut)`;
    expect(line).toEqual({ type: "log", stream: "stdout", text });
    expect(progress).toEqual({ type: "progress", done: 0, total: 0, label: "\uFFFD" });
    expect(end).toEqual(errored("threw"));
    expect(JSON.stringify(end).length).toBeLessThan(4200);
    expect(JSON.stringify(end)).not.toContain("status");
  });

  it("abandons an executor that ignores its signal", async () => {
    const deaf = executorOf(async function* () {
      await new Promise(() => {});
      yield { type: "succeeded", result: 1 };
    });
    expect(await play(deaf, { timeoutMs: 20 })).toEqual([errored("timed_out")]);
  });

  it("stops an executor that never waits, and reports the dropped events", async () => {
    let stopped = false;
    const chatty = executorOf(async function* () {
      try {
        for (;;) yield { type: "log", stream: "stdout", text: "x" };
      } finally {
        stopped = true;
      }
    });
    const events = await play(chatty, { timeoutMs: 50, maxLogLines: 2 });
    expect(events).toHaveLength(4);
    expect(events[2]).toMatchObject({ text: expect.stringMatching(/^left out: \d+ more lines/) });
    expect(events[3]).toEqual(errored("timed_out"));
    expect(stopped).toBe(true);
  });

  it("aborts an executor's signal at the timeout", async () => {
    let signal: AbortSignal | undefined;
    const waiting = executorOf(async function* (given) {
      ({ signal } = given);
      await new Promise((_resolve, reject) => {
        given.signal.addEventListener("abort", () => reject(new Error("stopped")));
      });
      yield { type: "succeeded", result: 1 };
    });
    expect(await play(waiting, { timeoutMs: 20 })).toEqual([errored("timed_out")]);
    expect(signal?.aborted).toBe(true);
  });
});
