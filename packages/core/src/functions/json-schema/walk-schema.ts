/** Keywords whose members are schemas under names that the author chooses. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
]);
/** Keywords that hold data, not schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** A keyword of a schema or of a nested one, with its path. */
export interface Keyword {
  readonly name: string;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/** All keywords of a JSON Schema and of nested ones, outer schemas first. */
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
