import type { Execution } from "../sandbox-executor.ts";
import { evaluate, type Evaluated, type Evaluation } from "./evaluate.ts";
import type { EvaluationThreads } from "./evaluation-threads.ts";
import { isCheap } from "./is-cheap.ts";
import type { RunSeeds } from "./plan.ts";
import { EVALUATION_TIMEOUT_MS, type PreparedExpression } from "./prepare.ts";

/** An expression of a run, and when and how often repeated it comes. */
export interface Wanted {
  readonly piece: PreparedExpression;
  readonly atMs: number;
  readonly index: number;
}

/** Evaluates the expressions of a run, and gives their values in the same order. */
export type EvaluateAll = (
  wanted: readonly Wanted[],
  execution: Execution,
  seeds: RunSeeds,
) => Promise<Evaluated[]>;

/** What a run's clock shows when it begins. */
const CLOCK_START_MS = Date.UTC(2000, 0, 1);
/** Evaluations of a run that may together be cheap. */
const MAX_CHEAP = 20;

/** Evaluates cheap expressions where it is called, and the others in threads, in one go. */
export function createEvaluateAll(threads: EvaluationThreads): EvaluateAll {
  return async (wanted, execution, seeds) => {
    const { input, timezone, limits, signal } = execution;
    const results: Evaluated[] = [];
    const toThread: { position: number; evaluation: Evaluation }[] = [];
    let parsedInput: { value: unknown } | undefined;
    let nodes = 0;
    for (const [position, { piece, atMs, index }] of wanted.entries()) {
      const { expression, parsed, cheapNodes } = piece;
      if (!("evaluate" in parsed)) {
        results[position] = parsed;
        continue;
      }
      const nowMs = CLOCK_START_MS + Math.round(atMs);
      const variables = { index, timezone };
      nodes += cheapNodes;
      if (position < MAX_CHEAP && isCheap(nodes, input)) {
        parsedInput ??= { value: JSON.parse(input) };
        const evaluation = { expression, state: [0, 0, 0, 1], nowMs, variables };
        results[position] = await evaluate(parsed, parsedInput.value, evaluation);
      } else {
        const state = seeds.state(`expression ${position}`);
        toThread.push({ position, evaluation: { expression, state, nowMs, variables } });
      }
    }
    if (toThread.length === 0) return results;
    const task = {
      input,
      evaluations: toThread.map(({ evaluation }) => evaluation),
      timeoutMs: Math.min(EVALUATION_TIMEOUT_MS, limits.timeoutMs),
      maxCharacters: limits.maxOutputBytes,
    };
    const evaluated = await threads.evaluate(task, signal);
    for (const [at, { position }] of toThread.entries()) results[position] = evaluated[at]!;
    return results;
  };
}
