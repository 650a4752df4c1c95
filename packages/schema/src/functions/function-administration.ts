import * as z from "zod";
import { InvocationLimits } from "../invocations/invocation-limits.ts";
import { WorkspaceParams } from "../params.ts";
import { JsonSchema } from "../parsing/json-schemas.ts";
import { forUpdate, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { Program } from "./programs.ts";
import {
  FunctionSlug,
  ListSandboxFunctions,
  SandboxFunction,
  SandboxFunctionPage,
} from "./sandbox-functions.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";

/** Characters of the JSON of a program. */
const MAX_PROGRAM_LENGTH = 4_194_304;

const program = Program.refine((value) => JSON.stringify(value).length <= MAX_PROGRAM_LENGTH, {
  error: `must be at most ${MAX_PROGRAM_LENGTH} characters of JSON`,
});
const { timeoutMs, maxOutputBytes, maxLogLines } = InvocationLimits.shape;

const definition = {
  description: optional(text(4096)).describe("Description of the function"),
  program: optional(program).describe(
    "What an invocation runs; by default nothing, and its result is null",
  ),
  inputSchema: optional(JsonSchema).describe(
    "JSON Schema (draft-07, 2019-09 or 2020-12) of the input; any by default",
  ),
  outputSchema: optional(JsonSchema).describe(
    "JSON Schema (draft-07, 2019-09 or 2020-12) of the result; any by default",
  ),
  timeoutMs: optional(timeoutMs.unwrap()).describe(
    "Timeout of an invocation in milliseconds; 60,000 by default",
  ),
  maxOutputBytes: optional(maxOutputBytes.unwrap()).describe(
    "Maximum size of a result as JSON, in bytes; 262,144 by default",
  ),
  maxLogLines: optional(maxLogLines.unwrap()).describe(
    "Maximum lines that an invocation may print; 1,000 by default",
  ),
  maxConcurrent: optional(z.int().min(1).max(1000)).describe(
    "Maximum concurrent invocations, while others wait; 20 by default",
  ),
  retryable: optional(z.boolean()).describe(
    "Whether an interrupted invocation is rerun; false by default",
  ),
  requiresApproval: optional(z.boolean()).describe(
    "Whether calls by agents need approval; false by default",
  ),
};

export const CreateSandboxFunction = WorkspaceParams.extend({
  slug: FunctionSlug.describe("Slug: the name in URLs; it never changes").meta({ example: "add" }),
  ...definition,
});
export type CreateSandboxFunction = z.output<typeof CreateSandboxFunction>;

export const FunctionIdentity = WorkspaceParams.extend({
  functionId: Reference.describe("Id or slug of the function").meta({ example: "add" }),
});
export type FunctionIdentity = z.output<typeof FunctionIdentity>;

export const UpdateSandboxFunction = FunctionIdentity.extend({
  version: z.int().min(1).describe("Version that the change is based on").meta({ example: 3 }),
  ...forUpdate(definition),
});
export type UpdateSandboxFunction = z.output<typeof UpdateSandboxFunction>;

export const FunctionStatus = z.enum(["active", "archived"]);
export type FunctionStatus = z.infer<typeof FunctionStatus>;

export const ListAdministeredFunctions = ListSandboxFunctions.extend({
  wId: WorkspaceParams.shape.wId,
  status: optional(FunctionStatus).describe("Only functions with this status"),
});
export type ListAdministeredFunctions = z.output<typeof ListAdministeredFunctions>;

/** A function as listed for those who administer functions. */
export const ListedFunction = SandboxFunction.extend({
  status: FunctionStatus.describe("Whether it can be invoked"),
});
export type ListedFunction = z.infer<typeof ListedFunction>;

/** A function with its program. */
export const AdministeredFunction = ListedFunction.extend({
  program: Program.describe("What an invocation runs"),
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

export const ListFunctionVersions = FunctionIdentity.extend(pageByNumber("Versions", 20));
export type ListFunctionVersions = z.output<typeof ListFunctionVersions>;

/** What a function was in one of its versions, which never change. */
export const FunctionVersion = AdministeredFunction.omit({
  sId: true,
  slug: true,
  status: true,
  updatedAt: true,
}).extend({
  version: z.int().describe("Number of the version, from 1").meta({ example: 1 }),
  createdAt: Milliseconds.describe("When the version was created"),
  editor: z
    .object({
      sId: z.string().describe("Id of the user"),
      name: z.string().describe("Name of the user"),
    })
    .nullable()
    .describe("Who created it; null for an operator"),
});
export type FunctionVersion = z.infer<typeof FunctionVersion>;

export const FunctionVersionPage = z.object({
  versions: z
    .array(FunctionVersion)
    .describe(
      "Versions, newest first; old unused ones are deleted (PARLEY_VERSION_RETENTION_DAYS). " +
        "A page of large versions has fewer than asked for",
    ),
  ...pageEnd,
});
export type FunctionVersionPage = z.infer<typeof FunctionVersionPage>;
