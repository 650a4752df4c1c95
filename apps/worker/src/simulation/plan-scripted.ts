import { type InvocationError, type ScriptedBehaviour } from "@parley/schema";
import { type Execution, type ExecutionEvent, timedOut } from "../sandbox-executor.ts";
import type { EvaluateAll, Wanted } from "./evaluate-all.ts";
import type { Evaluated } from "./evaluate.ts";
import { type Plan, type RunSeeds, seedRun } from "./plan.ts";
import type { PreparedBehaviour, PreparedTemplate } from "./prepare.ts";
import { drawDuration } from "./randomness.ts";

type Prepared = PreparedBehaviour & { type: "scripted" };

/** An event whose texts are still templates. */
interface Draft {
  readonly atMs: number;
  readonly index: number;
  readonly template: PreparedTemplate;
  readonly make: (text: string) => ExecutionEvent;
}

/** Draws and evaluates everything that a run of a script does, before any of it happens. */
export async function planScripted(
  prepared: Prepared,
  execution: Execution,
  evaluateAll: EvaluateAll,
): Promise<Plan> {
  const { behaviour } = prepared;
  const { limits } = execution;
  const seeds = seedRun(behaviour.seed, execution);
  const { drafts: all, lengthMs } = draftSteps(prepared, seeds);
  const drawn = drawError(behaviour, seeds);
  const error = drawn ?? behaviour.error;
  const plannedMs = lengthMs * (drawn?.at ?? 1);
  const isOver = plannedMs > limits.timeoutMs;
  const endMs = Math.min(plannedMs, limits.timeoutMs);
  const drafts = all.filter(({ atMs }) => atMs <= endMs);
  const end = isOver ? undefined : draftEnd(prepared, error);
  const pieces = [...drafts, ...(end === undefined ? [] : [{ ...end, atMs: endMs, index: 1 }])];
  const wanted = pieces.flatMap(({ template, atMs, index }): Wanted[] =>
    template.flatMap((piece) => (typeof piece === "string" ? [] : [{ piece, atMs, index }])),
  );
  const values = (await evaluateAll(wanted, execution, seeds)).values();
  const moments: { atMs: number; event: ExecutionEvent }[] = [];
  for (const { atMs, template, make } of drafts) {
    const text = fill(template, values);
    // What fails on the way ends the run there.
    if (typeof text !== "string") return { moments, end: errored(text), endMs: atMs };
    moments.push({ atMs, event: make(text) });
  }
  return { moments, end: end === undefined ? timedOut(limits) : end.make(values), endMs };
}

function draftSteps(
  { behaviour, template }: Prepared,
  seeds: RunSeeds,
): { drafts: Draft[]; lengthMs: number } {
  const durationMs = draw(behaviour.durationMs, () => seeds.draws("duration"));
  let stepDraws: ReturnType<RunSeeds["draws"]> | undefined;
  let atMs = 0;
  const drafts: Draft[] = [];
  for (const { at, takesMs = 0, repeat = 1, log, progress } of behaviour.steps) {
    for (let index = 1; index <= repeat; index++) {
      if (at === undefined) atMs += draw(takesMs, () => (stepDraws ??= seeds.draws("steps")));
      else atMs = Math.max(atMs, at * durationMs);
      if (log !== undefined) {
        const { stream } = log;
        const make = (text: string): ExecutionEvent => ({ type: "log", stream, text });
        drafts.push({ atMs, index, template: template(log.text), make });
      }
      if (progress !== undefined) {
        const { total } = progress;
        const done = progress.done * index;
        const make = (label: string): ExecutionEvent => ({ type: "progress", done, total, label });
        drafts.push({ atMs, index, template: template(progress.label), make });
      }
    }
  }
  return { drafts, lengthMs: Math.max(atMs, durationMs) };
}

function draw(
  duration: Parameters<typeof drawDuration>[0],
  draws: () => ReturnType<RunSeeds["draws"]>,
): number {
  // Most durations are numbers, for which nothing has to be seeded.
  return typeof duration === "number" ? duration : drawDuration(duration, draws());
}

function drawError({ errors = [] }: ScriptedBehaviour, seeds: RunSeeds) {
  if (errors.length === 0) return undefined;
  let rest = seeds.draws("errors")();
  return errors.find(({ rate }) => (rest -= rate) < 0);
}

/** How the run ends: with an error's message as its template, or with the result. */
function draftEnd(
  { template, result }: Prepared,
  error: InvocationError | undefined,
): { template: PreparedTemplate; make: (values: Iterator<Evaluated>) => ExecutionEvent } {
  if (error !== undefined) {
    const { code, status } = error;
    const message = template(error.message);
    return {
      template: message,
      make: (values) => {
        const text = fill(message, values);
        if (typeof text !== "string") return errored(text);
        return {
          type: "errored",
          error: { code, message: text, ...(status !== undefined && { status }) },
        };
      },
    };
  }
  return {
    template: result === undefined ? [] : [result],
    make: (values) => {
      const value: Evaluated = result === undefined ? { json: "null" } : values.next().value;
      if (!("json" in value)) return errored(value);
      return { type: "succeeded", result: JSON.parse(value.json) };
    },
  };
}

function errored(error: InvocationError): ExecutionEvent {
  return { type: "errored", error };
}

/** The text of a template; takes as many values as it has expressions. */
function fill(template: PreparedTemplate, values: Iterator<Evaluated>): string | InvocationError {
  let text = "";
  let failure: InvocationError | undefined;
  for (const piece of template) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    const value: Evaluated = values.next().value;
    if ("json" in value) text += show(value.json);
    else failure ??= value;
  }
  return failure ?? text;
}

function show(json: string): string {
  if (json === "null") return "";
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
