import * as z from "zod";
import { created, eventType } from "../parsing/event-fields.ts";
import { Invocation, InvocationError } from "./invocations.ts";

const invocation = {
  created,
  invocationId: z.string().describe("Id of the invocation").meta({ example: "sfi_Hr5Tb8Nw3J" }),
  functionId: z.string().describe("Id of the function").meta({ example: "sfn_Lq2Ke5Vy8T" }),
};

/** Events that end an invocation: each is the last of its log. */
export const TerminalInvocationEvent = z.discriminatedUnion("type", [
  z.object({
    type: eventType("sandbox_function_invocation_result"),
    ...invocation,
    result: z
      .unknown()
      .describe("What the function returned")
      .meta({ example: { sum: 3 } }),
  }),
  z.object({
    type: eventType("sandbox_function_invocation_error"),
    ...invocation,
    error: InvocationError.describe("Why the function failed").meta({
      example: { code: "timed_out", message: "The expression took too long" },
    }),
  }),
]);

/** Events of one invocation of a sandbox function. */
export const InvocationEvent = z.discriminatedUnion("type", [
  z.object({
    type: eventType("sandbox_function_invocation_created"),
    created,
    invocation: Invocation.describe("The invocation"),
  }),
  z.object({
    type: eventType("sandbox_function_invocation_log"),
    ...invocation,
    stream: z.enum(["stdout", "stderr"]).describe("Where the function printed it"),
    text: z.string().describe("What the function printed").meta({ example: "3 orders\n" }),
  }),
  z.object({
    type: eventType("sandbox_function_invocation_progress"),
    ...invocation,
    done: z.number().describe("Amount done").meta({ example: 2 }),
    total: z.number().describe("Total amount").meta({ example: 5 }),
    label: z.string().describe("Label of the current step").meta({ example: "Orders" }),
  }),
  ...TerminalInvocationEvent.options,
]);
export type InvocationEvent = z.infer<typeof InvocationEvent>;
