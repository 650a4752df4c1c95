import {
  type ExecutionEvent,
  type InvocationError,
  MAX_SIMULATED_MS,
  type ScriptedBehaviour,
  type SimulatedDuration,
  type TemplatePiece,
  timedOut,
} from "@parley/schema";
import type { Execution } from "../executor/executor.ts";
import type { Evaluated } from "./bound-value.ts";
import type { Evaluation } from "./evaluation-thread.ts";
import { type Evaluator, MAX_SHOWN_CHARACTERS } from "./evaluator.ts";
import type { Moment, PreparedScript } from "./prepare.ts";
import type { Draw } from "./seeds.ts";

/** An event whose text is still a template. */
interface Draft {
  readonly atMs: number;
  readonly index: number;
  readonly template: readonly TemplatePiece[];
  readonly toEvent: (text: string) => ExecutionEvent;
}

type Purpose = "duration" | "steps" | "errors";

/** Time of a run's clock at its start. */
const CLOCK_START_MS = Date.UTC(2000, 0, 1);
/** Expressions per call of a thread. */
const MAX_TOGETHER = 100;

/** Draws and evaluates the events of a scripted run, each shortly before its time. */
export async function* planScripted(
  { behaviour, template, fault }: PreparedScript,
  execution: Execution,
  evaluator: Evaluator,
): AsyncGenerator<Moment, void, undefined> {
  const { limits, timezone } = execution;
  if (fault !== undefined) {
    yield { atMs: 0, event: errored({ code: "invocation_failed", message: fault }) };
    return;
  }
  // Each use starts the draws of a purpose again, and so draws the same numbers.
  const startDraws = await evaluator.seed(purposesOf(behaviour));
  const drawn = drawError(behaviour, startDraws);
  const error = drawn ?? behaviour.error;
  const plannedMs = measure(behaviour, startDraws) * (drawn?.at ?? 1);
  const endMs = Math.min(plannedMs, limits.timeoutMs);
  const isOver = plannedMs > limits.timeoutMs;
  const drafts = () => draftSteps(behaviour, { template, startDraws, endMs });
  const message = isOver || error === undefined ? [] : template(error.message);
  const result = isOver || error !== undefined ? undefined : behaviour.result;
  const values = evaluateAhead(function* () {
    for (const draft of drafts()) yield* expressionsOf(draft, timezone);
    const end = { atMs: endMs, index: 1 };
    yield* expressionsOf({ ...end, template: message }, timezone);
    if (result === undefined) return;
    const [evaluation] = expressionsOf({ ...end, template: [{ expression: result }] }, timezone);
    yield { ...evaluation!, isShown: false };
  }, evaluator);

  for (const { atMs, template: pieces, toEvent } of drafts()) {
    const text = await fill(pieces, values);
    // A template that fails ends the run at its time.
    if (typeof text !== "string") {
      yield { atMs, event: errored(text) };
      return;
    }
    yield { atMs, event: toEvent(text) };
  }
  if (isOver) yield { atMs: endMs, event: timedOut(limits) };
  else if (error !== undefined) {
    const text = await fill(message, values);
    const event = typeof text === "string" ? { ...error, message: text } : text;
    yield { atMs: endMs, event: errored(event) };
  } else {
    const value = result === undefined ? { json: "null" } : await nextOf(values);
    yield { atMs: endMs, event: endOf(value) };
  }
}

/** Purposes that a script draws for. Most durations are numbers, which need no seed. */
function purposesOf({ durationMs, steps, errors = [] }: ScriptedBehaviour): Purpose[] {
  return [
    ...(typeof durationMs === "number" ? [] : (["duration"] as const)),
    ...(steps.some(({ takesMs = 0 }) => typeof takesMs !== "number") ? (["steps"] as const) : []),
    ...(errors.length === 0 ? [] : (["errors"] as const)),
  ];
}

type StartDraws = (purpose: Purpose) => Draw;

/** Time of each repetition of each step. */
function* timeSteps({ durationMs, steps }: ScriptedBehaviour, startDraws: StartDraws) {
  const lengthMs = drawDuration(durationMs, () => startDraws("duration"));
  let stepDraws: Draw | undefined;
  let atMs = 0;
  for (const step of steps) {
    const { at, takesMs = 0, repeat = 1 } = step;
    for (let index = 1; index <= repeat; index++) {
      if (at === undefined)
        atMs += drawDuration(takesMs, () => (stepDraws ??= startDraws("steps")));
      else atMs = Math.max(atMs, at * lengthMs);
      yield { atMs, index, step };
    }
  }
}

/** Duration of a run. */
function measure(behaviour: ScriptedBehaviour, startDraws: StartDraws): number {
  let lengthMs = drawDuration(behaviour.durationMs, () => startDraws("duration"));
  for (const { atMs } of timeSteps(behaviour, startDraws)) lengthMs = Math.max(lengthMs, atMs);
  return lengthMs;
}

/** The events of a run up to its end. */
function* draftSteps(
  behaviour: ScriptedBehaviour,
  {
    template,
    startDraws,
    endMs,
  }: Pick<PreparedScript, "template"> & { startDraws: StartDraws; endMs: number },
): Generator<Draft, void, undefined> {
  for (const { atMs, index, step } of timeSteps(behaviour, startDraws)) {
    if (atMs > endMs) return;
    const { log, progress } = step;
    if (log !== undefined) {
      const { stream } = log;
      const toEvent = (text: string): ExecutionEvent => ({ type: "log", stream, text });
      yield { atMs, index, template: template(log.text), toEvent };
    }
    if (progress !== undefined) {
      const { total } = progress;
      const done = progress.done * index;
      const toEvent = (label: string): ExecutionEvent => ({ type: "progress", done, total, label });
      yield { atMs, index, template: template(progress.label), toEvent };
    }
  }
}

function drawError({ errors = [] }: ScriptedBehaviour, startDraws: StartDraws) {
  if (errors.length === 0) return undefined;
  let rest = startDraws("errors")();
  return errors.find(({ rate }) => (rest -= rate) < 0);
}

function expressionsOf(
  { atMs, index, template }: Omit<Draft, "toEvent">,
  timezone: string,
): Omit<Evaluation, "position">[] {
  const nowMs = CLOCK_START_MS + Math.round(atMs);
  return template.flatMap((piece) => {
    if ("text" in piece) return [];
    const { expression } = piece;
    return { expression, nowMs, variables: { index, timezone }, isShown: true };
  });
}

/** The values of expressions in order, evaluated in batches. */
async function* evaluateAhead(
  expressions: () => Iterable<Omit<Evaluation, "position">>,
  evaluator: Evaluator,
): AsyncGenerator<Evaluated, void, undefined> {
  let position = 0;
  let batch: Evaluation[] = [];
  for (const expression of expressions()) {
    batch.push({ ...expression, position: position++ });
    if (batch.length < MAX_TOGETHER) continue;
    yield* await evaluator.evaluate(batch);
    batch = [];
  }
  if (batch.length > 0) yield* await evaluator.evaluate(batch);
}

async function nextOf(values: AsyncIterator<Evaluated, void>): Promise<Evaluated> {
  const next = await values.next();
  if (next.done === true) throw new Error("An expression was not evaluated");
  return next.value;
}

/** The text of a template; consumes a value for each of its expressions. */
async function fill(
  template: readonly TemplatePiece[],
  values: AsyncIterator<Evaluated, void>,
): Promise<string | InvocationError> {
  let text = "";
  let failure: InvocationError | undefined;
  for (const piece of template) {
    const value = "text" in piece ? piece : await nextOf(values);
    if ("text" in value) {
      if (text.length < MAX_SHOWN_CHARACTERS) text += value.text;
    } else if ("code" in value) failure ??= value;
  }
  return failure ?? text;
}

function endOf(value: Evaluated): ExecutionEvent {
  if ("code" in value) return errored(value);
  return { type: "succeeded", result: "json" in value ? JSON.parse(value.json) : value.text };
}

function errored(given: InvocationError): ExecutionEvent {
  const { code, message, status } = given;
  const error = status === undefined ? { code, message } : { code, message, status };
  return { type: "errored", error };
}

/** Draws a duration, in whole milliseconds. A fixed one does not start draws. */
function drawDuration(duration: SimulatedDuration, startDraws: () => Draw): number {
  if (typeof duration === "number") return duration;
  const { distribution } = duration;
  if (distribution === "fixed") return duration.valueMs;
  const draw = startDraws();
  const { minMs = 0, maxMs = MAX_SIMULATED_MS } = duration;
  const drawn = (): number => {
    if (distribution === "uniform") return minMs + draw() * (maxMs - minMs);
    if (distribution === "exponential") return -Math.log(1 - draw()) * duration.meanMs;
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    return distribution === "normal"
      ? duration.meanMs + normal * duration.deviationMs
      : duration.medianMs * Math.exp(normal * duration.sigma);
  };
  return Math.min(maxMs, Math.max(minMs, Math.round(drawn())));
}
