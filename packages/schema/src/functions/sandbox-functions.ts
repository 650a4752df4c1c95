import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery } from "../parsing/page.ts";
import { Milliseconds, text } from "../parsing/text.ts";

/** Name of a function in paths; an id of a function is not a slug. */
export const FunctionSlug = text(255, 1).regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, {
  error: "must be lowercase letters and digits, in words separated by hyphens",
});

const schemaOf = (what: string) =>
  z.record(z.string(), z.unknown()).nullable().describe(`JSON Schema of the ${what}; null for any`);

/** A function as callers that may invoke it see it. */
export const SandboxFunction = z.object({
  sId: z.string().describe("Id of the function").meta({ example: "sfn_Lq2Ke5Vy8T" }),
  slug: z.string().describe("Name in paths").meta({ example: "add" }),
  description: z
    .string()
    .describe("Description of the function")
    .meta({ example: "Adds two numbers" }),
  version: z.int().describe("Number of the current version, from 1").meta({ example: 1 }),
  inputSchema: schemaOf("input"),
  outputSchema: schemaOf("result"),
  timeoutMs: z.int().describe("Timeout of an invocation in milliseconds").meta({ example: 60_000 }),
  maxOutputBytes: z
    .int()
    .describe("Maximum size of a result as JSON, in bytes")
    .meta({ example: 1_048_576 }),
  maxLogLines: z
    .int()
    .describe("Maximum lines that an invocation may print")
    .meta({ example: 10_000 }),
  maxConcurrent: z
    .int()
    .describe("Maximum concurrent invocations, while others wait")
    .meta({ example: 10 }),
  retryable: z.boolean().describe("Whether an interrupted invocation is rerun"),
  requiresApproval: z.boolean().describe("Whether calls by agents need approval"),
  createdAt: Milliseconds.describe("When the function was created"),
  updatedAt: Milliseconds.describe("When the function was last changed"),
});
export type SandboxFunction = z.infer<typeof SandboxFunction>;

export const ListSandboxFunctions = z.object(
  pageQuery("Functions", { defaultLimit: 100, place: FunctionSlug }),
);
export type ListSandboxFunctions = z.output<typeof ListSandboxFunctions>;

export const SandboxFunctionPage = z.object({
  sandboxFunctions: z.array(SandboxFunction).describe("Functions, by slug"),
  ...pageEnd,
});
export type SandboxFunctionPage = z.infer<typeof SandboxFunctionPage>;

/** Operations on sandbox functions, for callers that may invoke them. */
export const sandboxFunctionEndpoints = {
  "sandboxFunctions.list": {
    ...get,
    tags: ["sandbox functions"],
    scope: "functions:invoke",
    summary: "List the sandbox functions that can be invoked",
    path: "/api/w/{wId}/sandbox-functions",
    params: WorkspaceParams,
    query: ListSandboxFunctions,
    output: SandboxFunctionPage,
  },
} as const satisfies Record<string, Endpoint>;
