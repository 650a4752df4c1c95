import * as z from "zod";
import { InvocationError, InvocationOutcome } from "../invocations/invocations.ts";
import { fitsBytes, text } from "../parsing/text.ts";

/** Longest duration of a simulated run. */
export const MAX_SIMULATED_MS = 600_000;
/** Most events of a run, including repetitions of steps. */
export const MAX_SIMULATED_EVENTS = 10_000;
const MAX_STEPS = 1000;
const MAX_RECORDINGS = 1000;
const MAX_RECORDED_BYTES = 2 * 1024 * 1024;
const MAX_EXPRESSION_CHARACTERS = 10_000;

const ms = z.number().min(0).max(MAX_SIMULATED_MS);
const bounds = {
  minMs: ms.optional().describe("Lower bound: smaller draws become it; 0 by default"),
  maxMs: ms.optional().describe("Upper bound: larger draws become it; ten minutes by default"),
};

const DrawnDuration = z
  .discriminatedUnion("distribution", [
    z.object({
      distribution: z.literal("fixed").describe("Always the same"),
      valueMs: ms.describe("How long"),
    }),
    z.object({
      distribution: z.literal("uniform").describe("Uniform between two values"),
      minMs: ms.describe("The shortest"),
      maxMs: ms.describe("The longest"),
    }),
    z.object({
      distribution: z.literal("normal").describe("Around a mean"),
      meanMs: ms.describe("The mean"),
      deviationMs: ms.describe("The standard deviation"),
      ...bounds,
    }),
    z.object({
      distribution: z.literal("lognormal").describe("Mostly short, with a long tail"),
      medianMs: ms.describe("The median"),
      sigma: z.number().min(0).max(10).describe("Standard deviation of the logarithm"),
      ...bounds,
    }),
    z.object({
      distribution: z.literal("exponential").describe("Times between independent events"),
      meanMs: ms.describe("The mean"),
      ...bounds,
    }),
  ])
  .refine((drawn) => !("minMs" in drawn) || (drawn.minMs ?? 0) <= (drawn.maxMs ?? Infinity), {
    path: ["maxMs"],
    error: "must be at least minMs",
  });

/** A duration in milliseconds, or the distribution that it is drawn from. */
export const SimulatedDuration = z.union([ms, DrawnDuration]);
export type SimulatedDuration = z.infer<typeof SimulatedDuration>;

const fraction = z.number().min(0).max(1);

/** A line that a function prints. */
export const Line = z.object({
  stream: z.enum(["stdout", "stderr"]).describe("Where it is printed"),
  text: text(16_384).describe("What is printed"),
});

export const ProgressReport = z.object({
  done: z.number().describe("Amount done"),
  total: z.number().describe("Total amount"),
  label: text(1024).describe("Label of the current step"),
});

const happening = {
  log: Line.optional().describe("A line that the function prints"),
  progress: ProgressReport.optional().describe("Progress that the function reports"),
};

const SimulatedStep = z
  .object({
    at: fraction.optional().describe("When, as a fraction of the duration"),
    takesMs: SimulatedDuration.optional().describe("How long after the step before it"),
    repeat: z.int().min(1).max(1000).optional().describe("How often; once by default"),
    ...happening,
  })
  .refine(({ at, takesMs }) => at === undefined || takesMs === undefined, {
    path: ["takesMs"],
    error: "must be omitted if at is given",
  });

const SimulatedError = InvocationError.extend({
  message: text(4096).describe("What failed; a template over the input"),
});

const DrawnError = SimulatedError.extend({
  rate: fraction.describe("Rate, as a fraction of the runs"),
  at: fraction.optional().describe("When, as a fraction of the run; at its end by default"),
});

/** Runs made of steps; random choices are drawn from a seed. */
export const ScriptedBehaviour = z.object({
  type: z.literal("scripted").optional().describe("Steps; the default type"),
  seed: text(255, 1)
    .optional()
    .describe("Runs with the same seed and input are the same, for every caller"),
  durationMs: SimulatedDuration.default(0).describe("Minimum time of a run"),
  steps: z
    .array(SimulatedStep)
    .max(MAX_STEPS)
    .default([])
    .refine((steps) => countEvents(steps) <= MAX_SIMULATED_EVENTS, {
      error: `must not produce more than ${MAX_SIMULATED_EVENTS} events, repetitions included`,
    })
    .describe("Events during the run, in order"),
  result: text(MAX_EXPRESSION_CHARACTERS).optional().describe("JSONata expression over the input"),
  errors: z
    .array(DrawnError)
    .max(20)
    .refine(
      (errors) => errors.reduce((sum, { rate }) => sum + rate, 0) <= 1 + Number.EPSILON * 20,
      {
        error: "must have rates that add up to at most 1",
      },
    )
    .optional()
    .describe("Random failures"),
  error: SimulatedError.optional().describe("Makes every run fail"),
});
export type ScriptedBehaviour = z.infer<typeof ScriptedBehaviour>;

function countEvents(steps: readonly z.infer<typeof SimulatedStep>[]): number {
  return steps.reduce((sum, { repeat = 1, log, progress }) => {
    return sum + repeat * (Number(log !== undefined) + Number(progress !== undefined));
  }, 0);
}

export const Recording = z.object({
  input: z.unknown().describe("The input of the invocation"),
  events: z
    .array(z.object({ afterMs: ms.describe("Time since the start of the run"), ...happening }))
    .max(MAX_SIMULATED_EVENTS)
    .default([])
    .describe("Its output and progress, in order"),
  outcome: InvocationOutcome.describe("How it ended"),
  durationMs: ms.default(0).describe("How long it took"),
});
export type Recording = z.infer<typeof Recording>;

/** Past invocations, replayed if the input is equal. */
export const RecordedBehaviour = z
  .object({
    type: z.literal("recorded").describe("Recordings"),
    seed: text(255, 1)
      .optional()
      .describe("Runs with the same seed and input are the same, for every caller"),
    recordings: z.array(Recording).min(1).max(MAX_RECORDINGS).describe("Past invocations"),
    otherwise: z
      .enum(["seeded", "error"])
      .default("error")
      .describe("Result for an input without a recording: any recording, or not_supported"),
  })
  .refine(({ recordings }) => fitsBytes(JSON.stringify(recordings), MAX_RECORDED_BYTES), {
    path: ["recordings"],
    error: `must be at most ${MAX_RECORDED_BYTES} bytes of JSON`,
  });
export type RecordedBehaviour = z.infer<typeof RecordedBehaviour>;

/** Behaviour of a simulated function: equal seeds and inputs give equal runs. */
export const SimulatedBehaviour = z.discriminatedUnion("type", [
  ScriptedBehaviour,
  RecordedBehaviour,
]);
export type SimulatedBehaviour = z.infer<typeof SimulatedBehaviour>;
