import * as z from "zod";
import { InvocationEvent } from "./events.ts";
import { InvocationOutcome } from "./sandbox-functions.ts";
import { Line, ProgressReport } from "./simulated-behaviour.ts";

const ms = z.number().min(0);
const afterMs = ms.default(0).describe("When, since the invocation began");

/** An invocation that ended: the events of its stream, or what it did in few words. */
export const PastInvocation = z.object({
  input: z
    .unknown()
    .optional()
    .transform((input) => (input === undefined ? null : input))
    .describe("The input; null by default"),
  events: z.array(InvocationEvent).optional().describe("What its stream said, in order"),
  durationMs: ms.optional().describe("How long it took"),
  logs: z.array(Line.extend({ afterMs })).optional().describe("What it printed"),
  progress: z.array(ProgressReport.extend({ afterMs })).optional().describe("What it reported"),
  outcome: InvocationOutcome.optional().describe("How it ended; the last event says it by default"),
});
export type PastInvocation = z.infer<typeof PastInvocation>;
