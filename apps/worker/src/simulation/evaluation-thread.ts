// Runs in a thread, which cannot resolve packages of the workspace: it imports none.
import type jsonata from "jsonata";
import { LRUCache } from "lru-cache";
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
export interface EvaluationTask {
  readonly input: string;
  readonly seed: string;
  readonly evaluations: readonly Evaluation[];
  readonly timeoutMs: number;
  /** A value with longer JSON fails. */
  readonly maxCharacters: number;
  /** Longer text of a value is cut. */
  readonly maxShown: number;
}

/** JSON of a value, or its text, or why there is none. */
export type Evaluated = { readonly json: string } | { readonly text: string } | EvaluationFailure;

const MAX_PARSED = 200;
const parsed = new LRUCache<string, jsonata.Expression>({ max: MAX_PARSED });

/** Evaluates the expressions of a task in order, and measures how long that took. */
export async function evaluateAll(
  task: EvaluationTask,
): Promise<{ results: Evaluated[]; tookMs: number }> {
  const startedAt = performance.now();
  const input: unknown = JSON.parse(task.input);
  const stateOf = seedRun(task.seed, () => input);
  const results: Evaluated[] = [];
  for (const { expression, position, isShown, ...surroundings } of task.evaluations) {
    const state = () => stateOf(`expression ${position}`);
    const found = parse(expression, task.timeoutMs);
    const result =
      "code" in found ? found : await evaluate(found, input, { state, ...surroundings });
    results.push("json" in result ? bound(result.json, isShown, task) : result);
  }
  return { results, tookMs: performance.now() - startedAt };
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

function bound(
  json: string,
  isShown: boolean,
  { maxCharacters, maxShown }: EvaluationTask,
): Evaluated {
  if (json.length > maxCharacters) {
    const message = `The result must be at most ${maxCharacters} bytes of JSON`;
    return { code: "output_too_large", message };
  }
  if (!isShown) return { json };
  if (json === "null") return { text: "" };
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json;
  return { text: text.slice(0, maxShown) };
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
