import { type Job, type Outcome, threadModule, type Threads } from "@parley/core";
import type { Execution } from "../executor/executor.ts";
import { MAX_LINE_CHARACTERS } from "../executor/limit-execution.ts";
import type { Evaluated } from "./bound-value.ts";
import type { CheapExpressions } from "./cheap-expressions.ts";
import type { EvaluationFailure } from "./evaluate.ts";
import type { EvaluatedTask, Evaluation, EvaluationTask } from "./evaluation-thread.ts";
import { type Draw, startDraws } from "./seeds.ts";

const url = threadModule("evaluation-thread", import.meta.url);
/** Time for all expressions of a run. */
const EVALUATION_MS = 1000;
/** Expressions should stop by themselves first: ending a thread makes the next call wait for a new one. */
const GRACE_MS = 250;
/** Longest text of a value; `limitExecution` cuts longer ones anyway. */
export const MAX_SHOWN_CHARACTERS = MAX_LINE_CHARACTERS + 1;

const evaluateJob: Job<EvaluationTask, EvaluatedTask> = {
  url,
  name: "evaluateAll",
  deadlineMs: EVALUATION_MS + GRACE_MS,
};
const seedJob: Job<{ input: string; seed: string; purposes: readonly string[] }, number[][]> = {
  url,
  name: "seedStates",
  deadlineMs: 2000,
};
const fingerprintJob: Job<readonly string[], string[]> = {
  url,
  name: "fingerprint",
  deadlineMs: 2000,
};

/** What a run evaluates, in threads unless it is cheap; equal runs get equal answers. */
export interface Evaluator {
  /** Evaluates expressions of the run over its input, in their order. */
  evaluate(evaluations: readonly Evaluation[]): Promise<Evaluated[]>;
  /** Seeds random numbers for each purpose. Throws when that takes too long. */
  seed<Purpose extends string>(purposes: readonly Purpose[]): Promise<(purpose: Purpose) => Draw>;
  /** Fingerprints by which inputs, given as JSON, are compared. Throws when that takes too long. */
  fingerprint(inputs: readonly string[]): Promise<string[]>;
}

/** Creates the evaluator of one run, whose behaviour may have its own seed. */
export function createEvaluator(
  { threads, cheap }: { readonly threads: Threads; readonly cheap: CheapExpressions },
  execution: Execution,
  ownSeed: string | undefined,
): Evaluator {
  const { workspaceId, input, limits, signal } = execution;
  const seed = ownSeed ?? execution.seed;
  const options = { workspaceId, origin: "run", signal } as const;
  let leftMs = Math.min(EVALUATION_MS, limits.timeoutMs);
  return {
    evaluate: async (evaluations) => {
      if (leftMs <= 0) return evaluations.map(() => failures["too slow"]);
      const bounds = { maxCharacters: limits.maxOutputBytes, maxShown: MAX_SHOWN_CHARACTERS };
      const given = { input, evaluations, ...bounds };
      const results = cheap.evaluate(given);
      if (results !== undefined) return results;
      const timeoutMs = leftMs;
      const unread = cheap.unread(evaluations);
      const task = { ...given, seed, unread, timeoutMs };
      const deadlineMs = timeoutMs + GRACE_MS;
      const outcome = await threads.call(evaluateJob, task, { ...options, deadlineMs });
      if ("failure" in outcome) return evaluations.map(() => failures[outcome.failure]);
      leftMs -= outcome.value.tookMs;
      cheap.learn(unread, outcome.value.forms);
      return outcome.value.results;
    },
    seed: async (purposes) => {
      if (purposes.length === 0) return () => () => 0;
      const states = valueOf(await threads.call(seedJob, { input, seed, purposes }, options));
      return (purpose) => startDraws(states[purposes.indexOf(purpose)] ?? []);
    },
    fingerprint: async (inputs) => valueOf(await threads.call(fingerprintJob, inputs, options)),
  };
}

const failures: Readonly<Record<"too slow" | "out of memory", EvaluationFailure>> = {
  "too slow": { code: "timed_out", message: "The expression took too long" },
  "out of memory": { code: "out_of_memory", message: "The expression took too much memory" },
};

function valueOf<T>(outcome: Outcome<T>): T {
  if ("value" in outcome) return outcome.value;
  throw new Error(`The input is too large: reading it is ${outcome.failure}`);
}
