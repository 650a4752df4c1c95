import { createThreads, recordBehaviour } from "@parley/core";
import {
  type ExecutorEvent,
  type InvocationEvent,
  type SimulatedProgram,
  SimulatedBehaviour,
} from "@parley/schema";
import { expect, test } from "vitest";
import type { Execution } from "../executor/executor.ts";
import { createSimulatedExecutor } from "./simulated-executor.ts";

const ids = { invocationId: "sfi_x", functionId: "sfn_x" };

/** An event as the stream of its invocation has it. */
function toWire(event: ExecutorEvent, created: number): InvocationEvent {
  const { type: kind, ...members } = event;
  const names: Readonly<Record<string, string>> = {
    log: "log",
    progress: "progress",
    succeeded: "result",
    errored: "error",
  };
  const type = `sandbox_function_invocation_${names[kind]}`;
  // The members of the two kinds of events have the same names.
  return { type, created, ...ids, ...members } as InvocationEvent;
}

test.each([
  ["succeeds", { result: '{"sum": a + $random()}' }],
  ["fails", { errors: [{ code: "overloaded", message: "busy {{a}}", status: 503, rate: 1 }] }],
])("a run that %s is the same when it is recorded and replayed", async (_name, ending) => {
  const scripted = SimulatedBehaviour.parse({
    durationMs: { distribution: "normal", meanMs: 20, deviationMs: 10 },
    steps: [
      { takesMs: 3, log: { stream: "stderr", text: "{{a}}" }, repeat: 3 },
      { progress: { done: 1, total: 2, label: "half" } },
      { takesMs: 5, log: { stream: "stdout", text: "{{$random()}}" } },
    ],
    ...ending,
  });
  const threads = createThreads();
  const executor = createSimulatedExecutor(threads, 0);
  const play = (
    functionId: string,
    behaviour: SimulatedBehaviour,
    more: Partial<Execution<SimulatedProgram>> = {},
  ) =>
    Array.fromAsync(
      executor.execute({
        workspaceId: 1,
        functionId,
        version: 1,
        program: { type: "simulated", behaviour },
        input: '{"a":1,"b":[{}]}',
        timezone: "UTC",
        seed: "seed",
        attempt: 1,
        limits: { timeoutMs: 60_000, maxOutputBytes: 262_144, maxLogLines: 1000 },
        signal: new AbortController().signal,
        ...more,
      }),
    );
  try {
    const before = await play("scripted", scripted);
    const events = before.map((event, index) => toWire(event, 1000 + index));
    const line = JSON.stringify({ input: { b: [{}], a: 1 }, events });
    const recorded = recordBehaviour([line]);
    expect(await play("recorded", recorded, { seed: "another" })).toEqual(before);
    expect(before.length).toBe(6);
  } finally {
    await threads.close();
  }
});
