import { findPlanFault } from "@parley/core";
import {
  type ExecutionEvent,
  type RecordedBehaviour,
  type Recording,
  type ScriptedBehaviour,
  type SimulatedBehaviour,
  splitTemplate,
  type TemplatePiece,
  timedOut,
} from "@parley/schema";
import type { Evaluator } from "./evaluator.ts";
import type { Execution } from "../executor/executor.ts";

export interface PreparedScript {
  readonly type: "scripted";
  readonly behaviour: ScriptedBehaviour;
  /** Why no run can play it; only for behaviours from before this was checked. */
  readonly fault: string | undefined;
  /** The pieces of a template. */
  readonly template: (text: string) => readonly TemplatePiece[];
}

export interface PreparedRecordings {
  readonly type: "recorded";
  readonly behaviour: RecordedBehaviour;
  /** By the fingerprint of the input. */
  readonly byInput: ReadonlyMap<string, readonly Recording[]>;
}

export type PreparedBehaviour = PreparedScript | PreparedRecordings;

/** Prepares what all runs of a version of a function share. */
export async function prepareBehaviour(
  behaviour: SimulatedBehaviour,
  evaluator: Pick<Evaluator, "fingerprint">,
): Promise<PreparedBehaviour> {
  if (behaviour.type === "recorded") {
    const inputs = behaviour.recordings.map(({ input }) => JSON.stringify(input ?? null));
    const fingerprints = (await evaluator.fingerprint(inputs)).values();
    const byInput = Map.groupBy(behaviour.recordings, () => fingerprints.next().value ?? "");
    return { type: "recorded", behaviour, byInput };
  }
  // One entry for each text of the behaviour.
  const templates = new Map<string, readonly TemplatePiece[]>();
  return {
    type: "scripted",
    behaviour,
    fault: findPlanFault(behaviour),
    template: (text) => {
      const pieces = templates.get(text) ?? splitTemplate(text);
      templates.set(text, pieces);
      return pieces;
    },
  };
}

/** An event of a run and its time since the start. */
export interface Moment {
  readonly atMs: number;
  readonly event: ExecutionEvent;
}

/** Events of a run, its end last; generated while it is played. */
export type Plan = AsyncIterable<Moment>;

/** The recording of the input, or what the behaviour defines for other inputs. */
export async function* planRecorded(
  { behaviour, byInput }: PreparedRecordings,
  execution: Execution,
  evaluator: Evaluator,
): AsyncGenerator<Moment, void, undefined> {
  const [fingerprint = ""] = await evaluator.fingerprint([execution.input]);
  const equal = byInput.get(fingerprint);
  const choices = equal ?? (behaviour.otherwise === "seeded" ? behaviour.recordings : []);
  const purposes = choices.length > 1 ? (["recording"] as const) : [];
  const draw = (await evaluator.seed(purposes))("recording");
  const recording = choices[Math.floor(draw() * choices.length)];
  if (recording === undefined) {
    const message = "The function has no recording for this input";
    yield { atMs: 0, event: { type: "errored", error: { code: "not_supported", message } } };
  } else yield* playRecording(recording, execution);
}

function* playRecording(
  { events, outcome, durationMs }: Recording,
  { limits }: Execution,
): Generator<Moment, void, undefined> {
  const last = events.findLast(({ log, progress }) => log !== undefined || progress !== undefined);
  for (const { afterMs: atMs, log, progress } of events) {
    if (atMs > limits.timeoutMs) continue;
    if (log !== undefined) yield { atMs, event: { type: "log", ...log } };
    if (progress !== undefined) yield { atMs, event: { type: "progress", ...progress } };
  }
  const endMs = Math.max(durationMs, last?.afterMs ?? 0);
  if (endMs > limits.timeoutMs) yield { atMs: limits.timeoutMs, event: timedOut(limits) };
  else if (outcome.status === "succeeded") {
    yield { atMs: endMs, event: { type: "succeeded", result: outcome.result ?? null } };
  } else yield { atMs: endMs, event: { type: "errored", error: outcome.error } };
}
