import * as z from "zod";
import { Milliseconds, optional, Reference, text } from "./text.ts";
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

const encoder = new TextEncoder();
/** Bytes of the JSON of an input. */
const MAX_INPUT_BYTES = 1_048_576;

function isInputInBounds(input: unknown): boolean {
  const json = JSON.stringify(input);
  // A code unit is at most three bytes, so only long texts have to be measured.
  return json.length * 3 <= MAX_INPUT_BYTES || encoder.encode(json).length <= MAX_INPUT_BYTES;
}

export const InvokeSandboxFunction = z.object({
  input: z
    .unknown()
    .optional()
    .transform((input) => (input === undefined ? null : input))
    .refine(isInputInBounds, { error: `must be at most ${MAX_INPUT_BYTES} bytes of JSON` })
    .describe("Any JSON of 1 MiB at most; null by default"),
  context: optional(
    z.object({ timezone: optional(Timezone).describe("IANA time zone of the caller") }),
  ).describe("Where the call comes from"),
});

/** What a function is called in paths; an id of a function is no slug. */
export const FunctionSlug = text(255, 1).regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, {
  error: "must be lower-case letters and digits, in words that hyphens part",
});

export const FunctionStake = z.enum(["low", "high"]);

const schemaOf = (what: string) =>
  z.record(z.string(), z.unknown()).nullable().describe(`JSON Schema of the ${what}; null for any`);

/** A function as whoever may invoke it sees it. */
export const SandboxFunction = z.object({
  sId: z.string().describe("Id of the function"),
  slug: z.string().describe("Name in paths"),
  description: z.string().describe("What the function does"),
  version: z.int().describe("Number of the current version, from 1"),
  inputSchema: schemaOf("input"),
  outputSchema: schemaOf("result"),
  timeoutMs: z.int().describe("How long an invocation may run, in milliseconds"),
  maxOutputBytes: z.int().describe("Size of the JSON of a result, in bytes"),
  maxLogLines: z.int().describe("Lines that an invocation may print"),
  maxConcurrent: z.int().describe("Invocations that run at once, while others wait"),
  retryable: z.boolean().describe("Whether an interrupted invocation may be run again"),
  stake: FunctionStake.describe("Whether agents need an approval to call it"),
  createdAt: Milliseconds.describe("When the function was made"),
  updatedAt: Milliseconds.describe("When the function was last changed"),
});
export type SandboxFunction = z.infer<typeof SandboxFunction>;

const limit = optional(z.coerce.number().pipe(z.int().min(1).max(100)));
const page = {
  hasMore: z.boolean().describe("Whether there is a page after this one"),
  lastValue: z.string().nullable().describe("What the next page is asked for with"),
};

export const ListSandboxFunctions = z.object({
  limit: limit
    .transform((value) => value ?? 100)
    .describe("Functions of a page, 1 to 100; 100 by default"),
  lastValue: optional(FunctionSlug).describe("The page after the one that answered this value"),
});
export type ListSandboxFunctions = z.output<typeof ListSandboxFunctions>;

export const SandboxFunctionPage = z.object({
  sandboxFunctions: z.array(SandboxFunction).describe("Functions, by slug"),
  ...page,
});
export type SandboxFunctionPage = z.infer<typeof SandboxFunctionPage>;

/** Parameters of the routes below one function, by its id or slug. */
export const SandboxFunctionParams = z.object({
  wId: Reference.describe("Id of the workspace"),
  functionId: Reference.describe("Id or slug of the function"),
});

/** Parameters of the routes below one invocation. */
export const InvocationParams = SandboxFunctionParams.extend({
  invocationId: Reference.describe("Id of the invocation"),
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

export const ListInvocations = z.object({
  status: optional(InvocationStatus).describe(
    "Only invocations in this state; a page may then hold fewer than asked for although there are more",
  ),
  limit: limit
    .transform((value) => value ?? 20)
    .describe("Invocations of a page, 1 to 100; 20 by default"),
  lastValue: optional(
    z.string().regex(/^\d{1,15}$/, { error: "must be a lastValue of a page" }),
  ).describe("The page after the one that answered this value"),
});
export type ListInvocations = z.output<typeof ListInvocations>;

/** One page of the invocations of a function. */
export const InvocationPage = z.object({
  invocations: z.array(Invocation).describe("Invocations, the newest first"),
  ...page,
});
export type InvocationPage = z.infer<typeof InvocationPage>;
