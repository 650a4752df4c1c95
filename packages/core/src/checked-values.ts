import type { InvocationError } from "@parley/schema";
import { findValueFault, type JsonSchema } from "./json-schemas.ts";

interface Checked {
  readonly inputSchema: JsonSchema | null;
  readonly outputSchema: JsonSchema | null;
}

/** The end of an invocation whose input the function's schema refuses. */
export function checkInput(
  { inputSchema }: Pick<Checked, "inputSchema">,
  input: unknown,
): InvocationError | undefined {
  const fault = inputSchema && findValueFault(inputSchema, input ?? null, "input");
  return fault ? { code: "invalid_input", message: `${fault.path}: ${fault.message}` } : undefined;
}

/** The end of an invocation whose result the function's schema refuses. */
export function checkOutput(
  { outputSchema }: Pick<Checked, "outputSchema">,
  result: unknown,
): InvocationError | undefined {
  const fault = outputSchema && findValueFault(outputSchema, result, "result");
  return fault ? { code: "invalid_output", message: `${fault.path}: ${fault.message}` } : undefined;
}
