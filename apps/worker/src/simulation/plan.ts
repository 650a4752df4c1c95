import type { Recording } from "@parley/schema";
import { type Execution, type ExecutionEvent, timedOut } from "../sandbox-executor.ts";
import type { PreparedBehaviour } from "./prepare.ts";
import { canonicalJson, type Draw, seedState, startDraws } from "./randomness.ts";

/** Everything that a run does, and when: `atMs` is since it began. */
export interface Plan {
  readonly moments: readonly { readonly atMs: number; readonly event: ExecutionEvent }[];
  readonly end: ExecutionEvent;
  readonly endMs: number;
}

/** Seeds of one run, each purpose its own. */
export interface RunSeeds {
  state(purpose: string): number[];
  draws(purpose: string): Draw;
}

/** The seeds of a run: they depend on its seed and its input, and on no clock and no attempt. */
export function seedRun(own: string | undefined, { seed, input }: Execution): RunSeeds {
  let canonical: string | undefined;
  const state = (purpose: string): number[] => {
    canonical ??= canonicalJson(JSON.parse(input));
    return seedState(own ?? seed, canonical, purpose);
  };
  return { state, draws: (purpose) => startDraws(state(purpose)) };
}

/** The run that was recorded for the input, or what the behaviour says for any other input. */
export function planRecorded(
  { behaviour, byInput }: PreparedBehaviour & { type: "recorded" },
  execution: Execution,
): Plan {
  const equal = byInput.get(canonicalJson(JSON.parse(execution.input)));
  const choices = equal ?? (behaviour.otherwise === "seeded" ? behaviour.recordings : []);
  const draw = choices.length > 1 ? seedRun(behaviour.seed, execution).draws("recording") : () => 0;
  const recording = choices[Math.floor(draw() * choices.length)];
  if (recording === undefined) {
    const message = "The function has no recording of this input";
    return {
      moments: [],
      end: { type: "errored", error: { code: "not_supported", message } },
      endMs: 0,
    };
  }
  return limitPlan(planRecording(recording), execution);
}

function planRecording({ events, outcome, durationMs }: Recording): Plan {
  const moments = events.flatMap(({ afterMs, log, progress }) => [
    ...(log === undefined ? [] : [{ atMs: afterMs, event: { type: "log" as const, ...log } }]),
    ...(progress === undefined
      ? []
      : [{ atMs: afterMs, event: { type: "progress" as const, ...progress } }]),
  ]);
  const end: ExecutionEvent =
    outcome.status === "succeeded"
      ? { type: "succeeded", result: outcome.result ?? null }
      : { type: "errored", error: outcome.error };
  return { moments, end, endMs: Math.max(durationMs, moments.at(-1)?.atMs ?? 0) };
}

/** Cuts a plan off where its time is over, whatever the time scale. */
export function limitPlan(plan: Plan, { limits }: Execution): Plan {
  if (plan.endMs <= limits.timeoutMs) return plan;
  const moments = plan.moments.filter(({ atMs }) => atMs <= limits.timeoutMs);
  return { moments, end: timedOut(limits), endMs: limits.timeoutMs };
}
