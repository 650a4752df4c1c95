import {
  CodeLimits,
  CreateSandboxFunction,
  FolderProgram,
  InvocationLimits,
  JavaScriptProgram,
} from "@parley/schema";
import * as z from "zod";

const { slug, description, inputSchema, maxConcurrent } = CreateSandboxFunction.shape;
const { allowedHosts, secrets } = JavaScriptProgram.shape;
const acceptsAny = (schema: typeof inputSchema) =>
  schema.transform((given): Record<string, unknown> => given ?? {}).default({});

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
  program: FolderProgram.optional(),
});
export type FunctionFile = z.output<typeof FunctionFile>;

/** Members that are of the code beside the file. If it has a program, they are members of that. */
export const codeMembers = ["allowedHosts", "secrets", ...Object.keys(CodeLimits.shape)];

/** Its name in a function's folder. */
export const FUNCTION_FILE = "function.json";
