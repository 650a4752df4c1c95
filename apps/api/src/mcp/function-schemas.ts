import type { Tool } from "@modelcontextprotocol/server";

type JsonSchema = Readonly<Record<string, unknown>>;
type ObjectSchema = Tool["inputSchema"];

/** Arguments and structured results of tools are objects, while functions take and give any JSON. */
const isObjectSchema = (schema: JsonSchema | null): schema is ObjectSchema =>
  schema?.["type"] === "object";

/** A schema as the one member of an object: its own id keeps references inside of it valid there. */
function asMember(name: "input" | "result", schema: JsonSchema): ObjectSchema {
  const properties = { [name]: { $id: `urn:parley:${name}`, ...schema } };
  // A stored schema is JSON.
  return { type: "object", properties, required: [name] } as ObjectSchema;
}

/** The schema of a tool's arguments for a function: those of another type are the member `input`. */
export function toInputSchema(schema: JsonSchema | null): ObjectSchema {
  if (isObjectSchema(schema)) return schema;
  if (schema === null) return { type: "object", properties: { input: {} } };
  return asMember("input", schema);
}

/** The input of a function from the arguments of its tool. */
export function toInput(
  schema: JsonSchema | null,
  given: Readonly<Record<string, unknown>>,
): unknown {
  return isObjectSchema(schema) ? given : given["input"];
}

/** The schema of a tool's structured result for a function that has one. */
export function toOutputSchema(schema: JsonSchema | null): ObjectSchema | undefined {
  if (schema === null || isObjectSchema(schema)) return schema ?? undefined;
  return asMember("result", schema);
}

/** The structured result of a tool from the result of its function. */
export function toStructured(schema: JsonSchema | null, result: unknown): Record<string, unknown> {
  // The function's result has matched its schema.
  return isObjectSchema(schema) ? (result as Record<string, unknown>) : { result };
}
