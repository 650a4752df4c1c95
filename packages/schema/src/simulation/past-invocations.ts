import * as z from "zod";
import { InvocationEvent } from "../invocations/invocation-events.ts";
import { InvocationOutcome } from "../invocations/invocations.ts";
import { Line, ProgressReport } from "./simulated-behaviour.ts";

const ms = z.number().min(0);
const afterMs = ms.default(0).describe("Time since the start of the invocation");

/** An ended invocation: the events of its stream, or a summary. */
export const PastInvocation = z.object({
  input: z
    .unknown()
    .optional()
    .transform((input) => (input === undefined ? null : input))
    .describe("The input; null by default"),
  events: z.array(InvocationEvent).optional().describe("Events of its stream, in order"),
  durationMs: ms.optional().describe("How long it took"),
  logs: z.array(Line.extend({ afterMs })).optional().describe("What it printed"),
  progress: z.array(ProgressReport.extend({ afterMs })).optional().describe("What it reported"),
  outcome: InvocationOutcome.optional().describe(
    "How it ended; taken from the last event by default",
  ),
});
export type PastInvocation = z.infer<typeof PastInvocation>;
