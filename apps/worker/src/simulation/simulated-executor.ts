import { setTimeout as sleep } from "node:timers/promises";
import type { Threads } from "@parley/core";
import type { SimulatedProgram } from "@parley/schema";
import { LRUCache } from "lru-cache";
import type { Execution, SandboxExecutor } from "../executor/executor.ts";
import { createCheapExpressions } from "./cheap-expressions.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { planScripted } from "./plan-scripted.ts";
import { type Plan, planRecorded, prepareBehaviour, type PreparedBehaviour } from "./prepare.ts";

const MAX_PREPARED = 500;

/**
 * Plays the behaviours of functions: equal behaviours, seeds and inputs give equal events at equal
 * times. Every wait is multiplied by `timeScale`; with 0 nothing waits. Expressions of behaviours are
 * evaluated in the threads, unless they are cheap.
 */
export function createSimulatedExecutor(
  threads: Threads,
  timeScale: number,
): SandboxExecutor<SimulatedProgram> {
  const cheap = createCheapExpressions();
  const prepared = new LRUCache<string, PreparedBehaviour>({ max: MAX_PREPARED });

  const prepare = async (
    { functionId, version, program }: Execution<SimulatedProgram>,
    evaluator: Evaluator,
  ): Promise<PreparedBehaviour> => {
    const key = `${functionId} ${version}`;
    const found = prepared.get(key) ?? (await prepareBehaviour(program.behaviour, evaluator));
    prepared.set(key, found);
    return found;
  };

  return {
    async *execute(execution) {
      const { signal } = execution;
      signal.throwIfAborted();
      const startedAt = performance.now();
      const evaluator = createEvaluator(
        { threads, cheap },
        execution,
        execution.program.behaviour.seed,
      );
      const behaviour = await prepare(execution, evaluator);
      const plan: Plan =
        behaviour.type === "recorded"
          ? planRecorded(behaviour, execution, evaluator)
          : planScripted(behaviour, execution, evaluator);
      const waitUntil = async (atMs: number): Promise<void> => {
        const waitMs = timeScale === 0 ? 0 : atMs * timeScale - (performance.now() - startedAt);
        if (waitMs > 0) await sleep(waitMs, undefined, { signal });
        signal.throwIfAborted();
      };
      for await (const { atMs, event } of plan) {
        await waitUntil(atMs);
        yield event;
      }
    },
    close: async () => {},
  };
}
