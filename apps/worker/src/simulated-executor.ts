import { setTimeout as sleep } from "node:timers/promises";
import { toStorable, toStorableJson } from "@parley/schema";
import jsonata from "jsonata";
import type { Execution, ExecutionEvent, SandboxExecutor } from "./sandbox-executor.ts";

/** Plays a function's recorded behaviour: the same behaviour and input give the same events. */
export const simulatedExecutor: SandboxExecutor = {
  async *execute({ behaviour, input, signal }) {
    const { durationMs, steps, error } = behaviour;
    let passed = 0;
    const waitUntil = async (fraction: number): Promise<void> => {
      const waitMs = fraction * durationMs - passed;
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      signal.throwIfAborted();
      passed = Math.max(passed, fraction * durationMs);
    };
    for (const { at, log, progress } of steps) {
      await waitUntil(at);
      if (log !== undefined) yield { type: "log", ...log };
      if (progress !== undefined) yield { type: "progress", ...progress };
    }
    await waitUntil(1);
    yield error === undefined ? await compute(behaviour.result, input) : { type: "errored", error };
  },
};

async function compute(
  expression: string | undefined,
  input: Execution["input"],
): Promise<ExecutionEvent> {
  if (expression === undefined) return { type: "succeeded", result: null };
  try {
    const value: unknown = await jsonata(expression).evaluate(JSON.parse(input));
    // JSONata marks its arrays; what is stored is plain JSON that the database can hold.
    const result: unknown = JSON.parse(JSON.stringify(value ?? null));
    return { type: "succeeded", result: toStorableJson(result) };
  } catch (cause) {
    const message = toStorable((cause as { message?: string }).message ?? "The function threw");
    return { type: "errored", error: { code: "threw", message } };
  }
}
