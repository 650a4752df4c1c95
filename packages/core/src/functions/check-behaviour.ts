import {
  type Issue,
  type ScriptedBehaviour,
  type SimulatedBehaviour,
  splitTemplate,
} from "@parley/schema";
import { type Job, threadModule } from "../untrusted/job.ts";
import type { CallOptions, Threads } from "../untrusted/threads.ts";
import type { FoundFault, Placed } from "./expression-thread.ts";

/** Expressions that one run may evaluate: 10,000 lines of templates could have 32 million. */
const MAX_EVALUATIONS = 10_000;
/** Repetitions of all steps together. */
const MAX_REPETITIONS = 10_000;

const job: Job<readonly Placed[], FoundFault[]> = {
  url: threadModule("expression-thread", import.meta.url),
  name: "findFaults",
  deadlineMs: 2000,
};

/**
 * Finds the faults of the expressions in a behaviour's result and templates. A behaviour is checked
 * before it is stored, so that no run fails for a typing error or for the size of its plan.
 */
export async function checkBehaviour(
  threads: Threads,
  behaviour: SimulatedBehaviour,
  options: CallOptions,
): Promise<Issue[]> {
  if (behaviour.type === "recorded") return [];
  const placed = placeExpressions(behaviour);
  const planFault = findPlanFault(behaviour, placed);
  if (planFault !== undefined) return [{ path: "steps", message: planFault }];
  if (placed.length === 0) return [];
  return checkExpressions(threads, placed, { ...options, path: "result" });
}

/** Finds the faults of expressions; `path` is what is named if reading them takes too long. */
export async function checkExpressions(
  threads: Threads,
  placed: readonly Placed[],
  { path: first, ...options }: CallOptions & { readonly path: string },
): Promise<Issue[]> {
  const outcome = await threads.call(job, placed, options);
  if ("value" in outcome) {
    return outcome.value.map(({ path, fault }) => {
      return { path, message: `must be a JSONata expression: ${fault}` };
    });
  }
  return [{ path: first, message: "must be simpler: reading the expressions takes too long" }];
}

/** Why a script has too many evaluations or repetitions to run; undefined if it has not. */
export function findPlanFault(
  behaviour: ScriptedBehaviour,
  placed = placeExpressions(behaviour),
): string | undefined {
  const evaluations = placed.reduce((sum, { times }) => sum + times, 0);
  if (evaluations > MAX_EVALUATIONS) {
    return `must not evaluate more than ${MAX_EVALUATIONS} expressions, repetitions included`;
  }
  const repetitions = behaviour.steps.reduce((sum, { repeat = 1 }) => sum + repeat, 0);
  if (repetitions <= MAX_REPETITIONS) return undefined;
  return `must not have more than ${MAX_REPETITIONS} repetitions in all`;
}

interface Repeated extends Placed {
  /** Evaluations in one run. */
  readonly times: number;
}

function placeExpressions(behaviour: ScriptedBehaviour): Repeated[] {
  const { steps, result, errors = [], error } = behaviour;
  return [
    ...(result === undefined ? [] : [{ path: "result", expression: result, times: 1 }]),
    ...steps.flatMap(({ repeat, log, progress }, index) => [
      ...placeTemplate(`steps[${index}].log.text`, log?.text, repeat),
      ...placeTemplate(`steps[${index}].progress.label`, progress?.label, repeat),
    ]),
    ...errors.flatMap(({ message }, index) => placeTemplate(`errors[${index}].message`, message)),
    ...placeTemplate("error.message", error?.message),
  ];
}

function placeTemplate(path: string, template = "", times = 1): Repeated[] {
  return splitTemplate(template).flatMap((piece) =>
    "text" in piece ? [] : [{ path, expression: piece.expression, times }],
  );
}
