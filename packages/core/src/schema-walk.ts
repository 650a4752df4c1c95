/** Keywords whose members are schemas under names of the author's. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);
/** Keywords that hold data and no schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** A keyword of a schema or of one in it, with the path to it. */
export interface Keyword {
  readonly name: string;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/** Every keyword of a JSON Schema and of the schemas in it, the outer ones first. */
export function* walkSchema(schema: unknown, path: readonly PropertyKey[]): Generator<Keyword> {
  if (typeof schema !== "object" || schema === null) return;
  if (Array.isArray(schema)) {
    for (const [index, one] of schema.entries()) yield* walkSchema(one, [...path, index]);
    return;
  }
  for (const [name, value] of Object.entries(schema)) {
    const at = [...path, name];
    yield { name, value, path: at };
    if (data.has(name)) continue;
    if (!maps.has(name) || typeof value !== "object" || value === null)
      yield* walkSchema(value, at);
    else {
      for (const [member, one] of Object.entries(value)) yield* walkSchema(one, [...at, member]);
    }
  }
}
