import * as z from "zod";
import { InvocationLimits } from "./invocation-limits.ts";
import { OfWorkspace } from "./params.ts";
import {
  FunctionSlug,
  FunctionStake,
  ListSandboxFunctions,
  SandboxFunction,
  SandboxFunctionPage,
} from "./sandbox-functions.ts";
import { SimulatedBehaviour } from "./simulated-behaviour.ts";
import { optional, Reference, text } from "./text.ts";

/** Characters of the JSON of a function's schema. */
const MAX_SCHEMA_LENGTH = 65_536;
/** Characters of the JSON of a behaviour. */
const MAX_BEHAVIOUR_LENGTH = 4_194_304;

const jsonSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_LENGTH, {
    error: `must be at most ${MAX_SCHEMA_LENGTH} characters of JSON`,
  });
const behaviour = SimulatedBehaviour.refine(
  (value) => JSON.stringify(value).length <= MAX_BEHAVIOUR_LENGTH,
  { error: `must be at most ${MAX_BEHAVIOUR_LENGTH} characters of JSON` },
);
const { timeoutMs, maxOutputBytes, maxLogLines } = InvocationLimits.shape;

const definition = {
  description: optional(text(4096)).describe("What the function does"),
  behaviour: optional(behaviour).describe("What an invocation does"),
  inputSchema: optional(jsonSchema).describe(
    "JSON Schema (2020-12) of the input; {} takes any, as does none",
  ),
  outputSchema: optional(jsonSchema).describe(
    "JSON Schema (2020-12) of the result; {} takes any, as does none",
  ),
  timeoutMs: optional(timeoutMs.unwrap()).describe(
    "How long an invocation may run, in milliseconds; 60,000 by default",
  ),
  maxOutputBytes: optional(maxOutputBytes.unwrap()).describe(
    "Size of the JSON of a result, in bytes; 262,144 by default",
  ),
  maxLogLines: optional(maxLogLines.unwrap()).describe(
    "Lines that an invocation may print; 1,000 by default",
  ),
  maxConcurrent: optional(z.int().min(1).max(1000)).describe(
    "Invocations that run at once, while others wait; 20 by default",
  ),
  retryable: optional(z.boolean()).describe(
    "Whether an interrupted invocation may be run again; false by default",
  ),
  stake: optional(FunctionStake).describe(
    "Agents call a function of high stake only with somebody's approval; low by default",
  ),
};

export const CreateSandboxFunction = OfWorkspace.extend({
  slug: FunctionSlug.describe("Name in paths, which it keeps for ever"),
  ...definition,
});
export type CreateSandboxFunction = z.output<typeof CreateSandboxFunction>;

export const FunctionIdentity = OfWorkspace.extend({
  functionId: Reference.describe("Id or slug of the function"),
});
export type FunctionIdentity = z.output<typeof FunctionIdentity>;

export const UpdateSandboxFunction = FunctionIdentity.extend({
  version: z.int().min(1).describe("Version that the change was made from"),
  ...definition,
});
export type UpdateSandboxFunction = z.output<typeof UpdateSandboxFunction>;

export const FunctionStatus = z.enum(["active", "archived"]);
export type FunctionStatus = z.infer<typeof FunctionStatus>;

export const ListAdministeredFunctions = ListSandboxFunctions.extend({
  workspaceId: OfWorkspace.shape.workspaceId,
  status: optional(FunctionStatus).describe("Only functions in this state"),
});
export type ListAdministeredFunctions = z.output<typeof ListAdministeredFunctions>;

/** A function as who administers functions finds it in their list. */
export const ListedFunction = SandboxFunction.extend({
  status: FunctionStatus.describe("Whether it can be invoked"),
});
export type ListedFunction = z.infer<typeof ListedFunction>;

/** A function with what it does. */
export const AdministeredFunction = ListedFunction.extend({
  behaviour: SimulatedBehaviour.describe("What an invocation does"),
});
export type AdministeredFunction = z.infer<typeof AdministeredFunction>;

export const OneAdministeredFunction = z.object({
  sandboxFunction: AdministeredFunction.describe("The function in its current version"),
});
export type OneAdministeredFunction = z.infer<typeof OneAdministeredFunction>;

export const AdministeredFunctionPage = SandboxFunctionPage.extend({
  sandboxFunctions: z.array(ListedFunction).describe("Functions, by slug"),
});
export type AdministeredFunctionPage = z.infer<typeof AdministeredFunctionPage>;
