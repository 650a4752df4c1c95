import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Execution, SandboxExecutor } from "./sandbox-executor.ts";
import { createEvaluateAll } from "./simulation/evaluate-all.ts";
import { createEvaluationThreads } from "./simulation/evaluation-threads.ts";
import { type Plan, planRecorded } from "./simulation/plan.ts";
import { planScripted } from "./simulation/plan-scripted.ts";
import { type PreparedBehaviour, prepareBehaviour } from "./simulation/prepare.ts";

const MAX_PREPARED = 500;
const MAX_THREADS = 4;

/**
 * Plays the behaviours of functions: equal behaviours, seeds and inputs give equal events, at the
 * same times. Every wait is multiplied with `timeScale`; with 0 nothing waits.
 */
export function createSimulatedExecutor(timeScale: number): SandboxExecutor {
  const prepared = new LRUCache<string, PreparedBehaviour>({ max: MAX_PREPARED });
  const threads = createEvaluationThreads(Math.min(availableParallelism(), MAX_THREADS));
  const evaluateAll = createEvaluateAll(threads);

  const prepare = ({ functionId, version, program }: Execution): PreparedBehaviour => {
    const key = `${functionId} ${version}`;
    const found = prepared.get(key) ?? prepareBehaviour(program.behaviour);
    prepared.set(key, found);
    return found;
  };

  return {
    async *execute(execution) {
      const { signal } = execution;
      signal.throwIfAborted();
      const behaviour = prepare(execution);
      const startedAt = performance.now();
      const plan: Plan =
        behaviour.type === "recorded"
          ? planRecorded(behaviour, execution)
          : await planScripted(behaviour, execution, evaluateAll);
      const waitUntil = async (atMs: number): Promise<void> => {
        const waitMs = timeScale === 0 ? 0 : atMs * timeScale - (performance.now() - startedAt);
        if (waitMs > 0) await sleep(waitMs, undefined, { signal });
        signal.throwIfAborted();
      };
      for (const { atMs, event } of plan.moments) {
        await waitUntil(atMs);
        yield event;
      }
      await waitUntil(plan.endMs);
      yield plan.end;
    },
    close: () => threads.close(),
  };
}
