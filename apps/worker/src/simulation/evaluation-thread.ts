import { parentPort } from "node:worker_threads";
import type jsonata from "jsonata";
import { LRUCache } from "lru-cache";
import {
  describeFailure,
  evaluate,
  type Evaluated,
  type Evaluation,
  parseExpression,
} from "./evaluate.ts";

/** What the thread is asked: the expressions of one run, over one input. */
export interface EvaluationTask {
  readonly input: string;
  readonly evaluations: readonly Evaluation[];
  readonly timeoutMs: number;
  /** Longer JSON is not handed over. */
  readonly maxCharacters: number;
}

const MAX_PARSED = 200;
const parsed = new LRUCache<string, jsonata.Expression>({ max: MAX_PARSED });

/** Says first that it is ready: the time to start is not the expressions'. */
const READY = "ready";

async function run(task: EvaluationTask): Promise<Evaluated[]> {
  const { evaluations, timeoutMs, maxCharacters } = task;
  const input: unknown = JSON.parse(task.input);
  const results: Evaluated[] = [];
  for (const evaluation of evaluations) {
    const result = await runOne(input, evaluation, timeoutMs);
    results.push(limit(result, maxCharacters));
  }
  return results;
}

async function runOne(
  input: unknown,
  evaluation: Evaluation,
  timeoutMs: number,
): Promise<Evaluated> {
  const { expression } = evaluation;
  try {
    let found = parsed.get(expression);
    if (found === undefined) {
      found = parseExpression(expression, timeoutMs);
      parsed.set(expression, found);
    }
    return await evaluate(found, input, evaluation);
  } catch (cause) {
    return describeFailure(cause);
  }
}

function limit(result: Evaluated, maxCharacters: number): Evaluated {
  if (!("json" in result) || result.json.length <= maxCharacters) return result;
  const message = `The result must be at most ${maxCharacters} bytes of JSON`;
  return { code: "output_too_large", message };
}

parentPort?.on("message", (task: EvaluationTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  void run(task).then((results) => parentPort?.postMessage(results));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
parentPort?.postMessage(READY);
