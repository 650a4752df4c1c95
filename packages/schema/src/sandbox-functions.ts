import * as z from "zod";
import { optional, Reference } from "./text.ts";
import { Timezone } from "./contexts.ts";

export const InvocationErrorCode = z.enum([
  "bad_input",
  "invalid_input",
  "import_failed",
  "threw",
  "bad_return",
  "invalid_output",
  "overloaded",
  "timed_out",
  "out_of_memory",
  "output_truncated",
  "output_too_large",
  "invocation_failed",
  "interrupted",
  "cancelled",
  "not_supported",
]);
export type InvocationErrorCode = z.infer<typeof InvocationErrorCode>;

export const InvocationError = z.object({
  code: InvocationErrorCode.describe("Stable code of the failure"),
  message: z.string().describe("What failed"),
  status: z.int().optional().describe("HTTP status of the failure, if it has one"),
});
export type InvocationError = z.infer<typeof InvocationError>;

export const InvocationStatus = z.enum(["created", "succeeded", "errored"]);

/** One invocation of a sandbox function. */
export const Invocation = z.object({
  sId: z.string().describe("Id of the invocation"),
  functionId: z.string().describe("Id of the function"),
  status: InvocationStatus.describe("State of the invocation"),
  createdAt: z.iso.datetime().describe("When the function was invoked"),
});
export type Invocation = z.infer<typeof Invocation>;

export const InvokeSandboxFunction = z.object({
  input: z
    .unknown()
    .optional()
    .transform((input) => (input === undefined ? null : input))
    .describe("Any JSON; null by default"),
  context: optional(
    z.object({ timezone: optional(Timezone).describe("IANA time zone of the caller") }),
  ).describe("Where the call comes from"),
});

/** Parameters of the routes below one function, by its id or slug. */
export const SandboxFunctionParams = z.object({
  wId: Reference.describe("Id of the workspace"),
  functionId: Reference.describe("Id or slug of the function"),
});

export const InvocationOutcome = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("succeeded").describe("The function returned"),
    result: z.unknown().describe("What it returned"),
  }),
  z.object({
    status: z.literal("errored").describe("The function failed"),
    error: InvocationError.describe("Why it failed"),
  }),
]);
export type InvocationOutcome = z.infer<typeof InvocationOutcome>;

export const InvokedSandboxFunction = z.object({
  invocation: Invocation.describe("The invocation"),
  outcome: InvocationOutcome.optional().describe("How it ended, if it ended in time"),
});
export type InvokedSandboxFunction = z.infer<typeof InvokedSandboxFunction>;

/** What the simulated executor plays for a function: the same behaviour and input give the same run. */
export const SimulatedBehaviour = z.object({
  durationMs: z.number().min(0).max(600_000).default(0).describe("How long a run takes"),
  steps: z
    .array(
      z.object({
        at: z.number().min(0).max(1).describe("When, as a fraction of the duration"),
        log: z
          .object({
            stream: z.enum(["stdout", "stderr"]).describe("Where it is printed"),
            text: z.string().describe("What is printed"),
          })
          .optional()
          .describe("A line that the function prints"),
        progress: z
          .object({
            done: z.number().describe("How much is done"),
            total: z.number().describe("How much there is to do"),
            label: z.string().describe("What is being done"),
          })
          .optional()
          .describe("Progress that the function reports"),
      }),
    )
    .max(1000)
    .default([])
    .describe("What happens on the way, in order"),
  result: z.string().optional().describe("JSONata expression over the input"),
  error: InvocationError.optional().describe("Makes every run fail"),
});
export type SimulatedBehaviour = z.infer<typeof SimulatedBehaviour>;
