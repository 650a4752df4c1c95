import { type ExecutionEvent, type Recording, timedOut } from "@parley/schema";
import type { Execution } from "../executor/executor.ts";
import type { Evaluator } from "./evaluator.ts";
import type { PreparedRecordings } from "./prepare.ts";

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
