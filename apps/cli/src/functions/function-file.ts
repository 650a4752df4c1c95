import {
  CodeLimits,
  CreateSandboxFunction,
  E2bProgram,
  InvocationLimits,
  JavaScriptProgram,
  SimulatedProgram,
} from "@parley/schema";
import * as z from "zod";

const { slug, description, inputSchema, maxConcurrent } = CreateSandboxFunction.shape;
const { allowedHosts, secrets } = JavaScriptProgram.shape;
const acceptsAny = (schema: typeof inputSchema) =>
  schema.transform((given): Record<string, unknown> => given ?? {}).default({});

/** Programs that are not the files beside `function.json`; the source of one for E2B may be such a file. */
const OtherProgram = z.discriminatedUnion("type", [
  SimulatedProgram,
  E2bProgram.extend({ source: E2bProgram.shape.source.optional() }),
  JavaScriptProgram,
]);

/**
 * `function.json`: what a function is beside its code. What it leaves out has the server's default, so the file
 * says all, and what is taken out of it is no more.
 */
export const FunctionFile = z.strictObject({
  slug,
  description: description.transform((given) => given ?? "").default(""),
  inputSchema: acceptsAny(inputSchema),
  outputSchema: acceptsAny(inputSchema),
  allowedHosts,
  secrets,
  retryable: z.boolean().default(false),
  requiresApproval: z.boolean().default(false),
  ...InvocationLimits.shape,
  maxConcurrent: maxConcurrent.transform((given) => given ?? 20).default(20),
  ...CodeLimits.shape,
  program: OtherProgram.optional(),
});
export type FunctionFile = z.output<typeof FunctionFile>;

/** Members that are of the code beside the file. Where it has a program, they are members of that. */
export const codeMembers = ["allowedHosts", "secrets", ...Object.keys(CodeLimits.shape)];

/** The file that has the source for E2B, by its language. */
export const e2bFiles = { python: "main.py", javascript: "index.js" } as const;

/** Its name in a function's folder. */
export const FUNCTION_FILE = "function.json";
