import { filesOf, folderKind, type InvocationLimits } from "@parley/schema";
import type { ServerConnection } from "../connection/connect.ts";

/** A function with its program, as the client reads it. */
export type ShownFunction = Awaited<
  ReturnType<ServerConnection["rpc"]["sandboxFunctions"]["get"]["query"]>
>["sandboxFunction"];

/** The files of a program that a folder is; none of another. */
export const filesOfProgram = (program: ShownFunction["program"]): Record<string, string> =>
  program.type === folderKind ? filesOf(program.source) : {};

/** The names of the secrets that a program uses. */
export const secretsOfProgram = (program: ShownFunction["program"]): string[] =>
  "secrets" in program ? (program.secrets ?? []).map(({ name }) => name) : [];

type Comparable = Pick<
  ShownFunction,
  | "description"
  | "inputSchema"
  | "outputSchema"
  | "program"
  | "retryable"
  | "requiresApproval"
  | keyof InvocationLimits
  | "maxConcurrent"
>;

/** What a push would change, by the names of members: equal members are the same function. */
export function membersOfFunction(of: Comparable) {
  const { description, inputSchema, outputSchema, program, retryable, requiresApproval } = of;
  const { timeoutMs, maxOutputBytes, maxLogLines, maxConcurrent } = of;
  return {
    description,
    retryable,
    requiresApproval,
    timeoutMs,
    maxOutputBytes,
    maxLogLines,
    maxConcurrent,
    // No schema takes any value, as {} does.
    inputSchema: inputSchema ?? {},
    outputSchema: outputSchema ?? {},
    program: program.type === folderKind ? { ...program, source: {} } : program,
    files: filesOfProgram(program),
  };
}
