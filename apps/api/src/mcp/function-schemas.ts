import type { Tool } from "@modelcontextprotocol/server";

type JsonSchema = Readonly<Record<string, unknown>>;
type ObjectSchema = Tool["inputSchema"];

// Arguments and structured results of tools are objects, while functions take and give any JSON.

/** Keywords that say something of objects, or nothing of any value. */
const ofObjects = new Set([
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "title",
  "description",
  "examples",
  "default",
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "$comment",
]);

/** The schema of the objects that match a schema; undefined if it is one of other values. */
function objectSchemaOf(schema: JsonSchema): ObjectSchema | undefined {
  const isOfObjects =
    schema["type"] === "object" ||
    (schema["type"] === undefined && Object.keys(schema).every((name) => ofObjects.has(name)));
  return isOfObjects ? { ...schema, type: "object" } : undefined;
}

/** A schema as the one member of an object: its own id keeps references inside of it valid there. */
function asMember(name: "input" | "result", schema: JsonSchema): ObjectSchema {
  return withMember({ type: "object", required: [name] }, name, schema);
}

/** The schema of an object, with a member that has a schema of its own. */
export function withMember(object: ObjectSchema, name: string, schema: JsonSchema): ObjectSchema {
  // The dialect is that of the whole, of which every dialect has the keywords.
  const { $schema, ...member } = schema;
  const properties = { ...object.properties, [name]: { $id: `urn:parley:${name}`, ...member } };
  const merged: ObjectSchema & { readonly $schema?: unknown } = { ...object, properties };
  const { $schema: _dialect, ...whole } = merged;
  return $schema === undefined ? whole : { $schema, ...whole };
}

/** The schema of a tool's arguments for a function: its input, or an object with the member `input`. */
export function toInputSchema(schema: JsonSchema | null): ObjectSchema {
  return objectSchemaOf(schema ?? {}) ?? asMember("input", schema ?? {});
}

/** The input of a function from the arguments of its tool. */
export function toInput(
  schema: JsonSchema | null,
  given: Readonly<Record<string, unknown>>,
): unknown {
  return objectSchemaOf(schema ?? {}) === undefined ? given["input"] : given;
}

/** The schema of a tool's structured result, for a function whose results have a schema. */
export function toOutputSchema(schema: JsonSchema | null): ObjectSchema | undefined {
  if (schema === null) return undefined;
  return schema["type"] === "object" ? (schema as ObjectSchema) : asMember("result", schema);
}

/** The structured result of a tool: the result of its function, or an object with the member `result`. */
export function toStructured(schema: JsonSchema | null, result: unknown): Record<string, unknown> {
  const isAsItIs = schema === null ? isObject(result) : schema["type"] === "object";
  // The function's result has matched its schema.
  return isAsItIs ? (result as Record<string, unknown>) : { result };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
