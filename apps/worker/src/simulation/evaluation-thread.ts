// Runs in a thread, which cannot resolve packages of the workspace: it imports none.
import type jsonata from "jsonata";
import { LRUCache } from "lru-cache";
import { boundValue, type Evaluated, type ValueBounds } from "./bound-value.ts";
import { type CheapExpression, readCheapExpression } from "./cheap-expression.ts";
import {
  describeFailure,
  evaluate,
  type EvaluationFailure,
  parseExpression,
  type Surroundings,
} from "./evaluate.ts";
import { fingerprintOf, seedRun } from "./seeds.ts";

/** One expression of a run. */
export interface Evaluation extends Omit<Surroundings, "state"> {
  readonly expression: string;
  /** Its number among those of the run, part of the seed of its random numbers. */
  readonly position: number;
  /** Whether its value becomes part of a text, in place of JSON. */
  readonly isShown: boolean;
}

/** Expressions of one run, over one input. */
export interface EvaluationTask extends ValueBounds {
  readonly input: string;
  readonly seed: string;
  readonly evaluations: readonly Evaluation[];
  /** Those of the expressions whose forms are wanted. */
  readonly unread: readonly string[];
  readonly timeoutMs: number;
}

export interface EvaluatedTask {
  readonly results: Evaluated[];
  readonly forms: (CheapExpression | undefined)[];
  readonly tookMs: number;
}

const MAX_PARSED = 200;
const parsed = new LRUCache<string, jsonata.Expression>({ max: MAX_PARSED });

/** Evaluates the expressions of a task in order, and measures how long that took. */
export async function evaluateAll(task: EvaluationTask): Promise<EvaluatedTask> {
  const startedAt = performance.now();
  const input: unknown = JSON.parse(task.input);
  const stateOf = seedRun(task.seed, () => input);
  const results: Evaluated[] = [];
  for (const { expression, position, isShown, ...surroundings } of task.evaluations) {
    const state = () => stateOf(`expression ${position}`);
    const found = parse(expression, task.timeoutMs);
    const result =
      "code" in found ? found : await evaluate(found, input, { state, ...surroundings });
    results.push("json" in result ? boundValue(result.json, isShown, task) : result);
  }
  return { results, forms: task.unread.map(readForm), tookMs: performance.now() - startedAt };
}

/** The form of an evaluated expression if it is cheap. */
function readForm(expression: string): CheapExpression | undefined {
  return readCheapExpression(parsed.get(expression)?.ast());
}

function parse(expression: string, timeoutMs: number): jsonata.Expression | EvaluationFailure {
  try {
    const found = parsed.get(expression) ?? parseExpression(expression, timeoutMs);
    parsed.set(expression, found);
    return found;
  } catch (cause) {
    return describeFailure(cause);
  }
}

/** The states of a run's random generators, one for each purpose. */
export function seedStates(task: {
  readonly input: string;
  readonly seed: string;
  readonly purposes: readonly string[];
}): number[][] {
  return task.purposes.map(seedRun(task.seed, () => JSON.parse(task.input)));
}

/** Fingerprints by which inputs, given as JSON, are compared. */
export function fingerprint(inputs: readonly string[]): string[] {
  return inputs.map((input) => fingerprintOf(JSON.parse(input)));
}
