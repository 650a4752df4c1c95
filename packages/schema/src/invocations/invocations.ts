import * as z from "zod";
import { exampleOf } from "../examples.ts";
import { WorkspaceParams } from "../params.ts";
import { AnyJson } from "../parsing/json.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { fitsBytes, optional, Reference } from "../parsing/text.ts";
import { RequestedTimezone } from "../parsing/timezones.ts";

export const InvocationErrorCode = z.enum([
  "bad_input",
  "invalid_input",
  "input_too_large",
  "import_failed",
  "threw",
  "bad_return",
  "invalid_output",
  "overloaded",
  "timed_out",
  "cpu_exceeded",
  "out_of_memory",
  "output_truncated",
  "output_too_large",
  "log_too_large",
  "fetch_refused",
  "fetches_exceeded",
  "fetch_too_large",
  "secret_refused",
  "invocation_failed",
  "interrupted",
  "cancelled",
  "budget_exceeded",
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
  sId: z.string().describe("Id of the invocation").meta({ example: "sfi_Hr5Tb8Nw3J" }),
  functionId: z.string().describe("Id of the function").meta({ example: "sfn_Lq2Ke5Vy8T" }),
  status: InvocationStatus.describe("Status of the invocation"),
  createdAt: z.iso
    .datetime()
    .describe("When the function was invoked")
    .meta({ example: "2026-05-28T20:26:40.000Z" }),
});
export type Invocation = z.infer<typeof Invocation>;

/** Bytes of the JSON of an input. */
const MAX_INPUT_BYTES = 1_048_576;

export const InvokeSandboxFunction = z.object({
  input: AnyJson.optional()
    .transform((input) => (input === undefined ? null : input))
    .refine((input) => fitsBytes(JSON.stringify(input), MAX_INPUT_BYTES), {
      error: `must be at most ${MAX_INPUT_BYTES} bytes of JSON`,
    })
    .describe("Any JSON of at most 1 MiB; null by default")
    .meta({ example: { a: 1, b: 2 } }),
  context: optional(
    z.object({ timezone: optional(RequestedTimezone).describe("IANA time zone of the caller") }),
  )
    .describe("Where the call comes from")
    .meta({ example: { timezone: "Europe/London" } }),
});

export const InvocationOutcome = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("succeeded").describe("The function returned"),
    result: z
      .unknown()
      .describe("What it returned")
      .meta({ example: { sum: 3 } }),
  }),
  z.object({
    status: z.literal("errored").describe("The function failed"),
    error: InvocationError.describe("Why it failed"),
  }),
]);
export type InvocationOutcome = z.infer<typeof InvocationOutcome>;

export const InvokedSandboxFunction = z.object({
  invocation: Invocation.meta({
    description: "The invocation",
    example: { ...exampleOf(Invocation), status: "succeeded" },
  }),
  outcome: InvocationOutcome.optional()
    .describe("Its outcome, if it ended in time")
    .meta({ example: exampleOf(InvocationOutcome) }),
});
export type InvokedSandboxFunction = z.infer<typeof InvokedSandboxFunction>;

export const ListInvocations = z.object({
  status: optional(InvocationStatus).describe(
    "Only invocations with this status; a page may then have fewer than asked for although there are more",
  ),
  ...pageQuery("Invocations", { defaultLimit: 20, place: placeLike(/^\d{1,15}$/) }),
});
export type ListInvocations = z.output<typeof ListInvocations>;

/** One page of the invocations of a function. */
export const InvocationPage = z.object({
  invocations: z.array(Invocation).describe("Invocations, newest first"),
  ...pageEnd,
});
export type InvocationPage = z.infer<typeof InvocationPage>;

/** Parameters of the routes of a function, by its id or slug. */
export const SandboxFunctionParams = z.object({
  ...WorkspaceParams.shape,
  functionId: Reference.describe("Id or slug of the function").meta({ example: "add" }),
});

/** Parameters of the routes of an invocation. */
export const InvocationParams = SandboxFunctionParams.extend({
  invocationId: Reference.describe("Id of the invocation").meta({ example: "sfi_Hr5Tb8Nw3J" }),
});
