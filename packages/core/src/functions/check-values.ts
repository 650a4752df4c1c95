import type { InvocationError, InvocationOutcome, Issue } from "@parley/schema";
import type { CallOptions, Threads } from "../untrusted/threads.ts";
import { findSchemaFault, findValueFault, type JsonSchema } from "./json-schema/validate.ts";

/** The JSON of an input, and the error of the function's schema for it. */
export interface CheckedInput {
  readonly json: string;
  readonly error: InvocationError | undefined;
}

/** The faults of a function's schemas, if it has them. Waits for threads: not for a transaction. */
export async function findSchemaFaults(
  { threads }: { readonly threads: Threads },
  {
    inputSchema,
    outputSchema,
  }: Readonly<Record<"inputSchema" | "outputSchema", JsonSchema | undefined>>,
  options: CallOptions,
): Promise<Issue[]> {
  const faults = await Promise.all(
    Object.entries({ inputSchema, outputSchema }).map(async ([root, schema]) =>
      schema === undefined ? undefined : findSchemaFault(threads, { schema, root }, options),
    ),
  );
  return faults.filter((issue) => issue !== undefined);
}

/** Checks an input with the function's schema. May wait for a thread: not for a transaction. */
export async function checkInput(
  { threads }: { readonly threads: Threads },
  { definition, input }: { definition: { inputSchema: JsonSchema | null }; input: unknown },
  options: CallOptions,
): Promise<CheckedInput> {
  const value = input ?? null;
  const json = JSON.stringify(value);
  const { inputSchema: schema } = definition;
  if (isEmpty(schema)) return { json, error: undefined };
  const fault = await findValueFault(threads, { schema, value, json, root: "input" }, options);
  if (fault === undefined) return { json, error: undefined };
  return { json, error: { code: "invalid_input", message: `${fault.path}: ${fault.message}` } };
}

/** The outcome of an invocation; `invalid_output` if the schema refuses the result. */
export async function checkOutcome(
  { threads }: { readonly threads: Threads },
  {
    definition,
    outcome,
  }: { definition: { outputSchema: JsonSchema | null }; outcome: InvocationOutcome },
  options: CallOptions,
): Promise<InvocationOutcome> {
  const { outputSchema: schema } = definition;
  if (outcome.status === "errored" || isEmpty(schema)) return outcome;
  const { result: value } = outcome;
  const given = { schema, value, json: JSON.stringify(value), root: "result" };
  const fault = await findValueFault(threads, given, options);
  if (fault === undefined) return outcome;
  const message = `${fault.path}: ${fault.message}`;
  return { status: "errored", error: { code: "invalid_output", message } };
}

/** Whether a schema is missing, or takes any value. */
function isEmpty(schema: JsonSchema | null): schema is null {
  return schema === null || Object.keys(schema).length === 0;
}
