type Schema = Readonly<Record<string, unknown>>;

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
/** What has a meaning beside a reference of draft 7: words for people, and what others refer to. */
const besideReference: ReadonlySet<string> = new Set([
  "$ref",
  "title",
  "description",
  "$comment",
  "default",
  "examples",
  "definitions",
  "$defs",
]);

/**
 * A schema in the words of JSON Schema 2020-12, without `$schema`: models are sent one dialect, whichever a
 * server speaks. The schema is one that core has checked, in 2020-12, 2019-09 or draft-07.
 */
export function toModernSchema(schema: Schema): Schema {
  const isDraft7 = /\/draft-07\/schema#?$/.test(String(schema["$schema"]));
  return convertSchema(schema, isDraft7);
}

function convert(value: unknown, isDraft7: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => convert(one, isDraft7));
  return isObject(value) ? convertSchema(value, isDraft7) : value;
}

function convertSchema(given: Schema, isDraft7: boolean): Schema {
  const members = Object.entries(given).filter(
    ([name]) =>
      name !== "$schema" && (!isDraft7 || !("$ref" in given) || besideReference.has(name)),
  );
  const schema: Record<string, unknown> = {};
  for (const [name, value] of members) {
    if (name === "dependencies" && isObject(value)) addDependencies(schema, value, isDraft7);
    else if (name === "items" && Array.isArray(value))
      schema["prefixItems"] = convert(value, isDraft7);
    else if (name === "additionalItems") {
      // Without places before them, there are no additional items.
      if (Array.isArray(given["items"])) schema["items"] = convert(value, isDraft7);
    } else if (name === "$id" && isDraft7 && typeof value === "string" && value.startsWith("#"))
      schema["$anchor"] = value.slice(1);
    else if (name === "$ref" || name === "$recursiveRef") schema["$ref"] = convertReference(value);
    else if (name === "$recursiveAnchor") continue;
    else if (name === "definitions" || name === "$defs")
      schema["$defs"] = { ...(schema["$defs"] as object), ...convertMap(value, isDraft7) };
    else if (data.has(name)) schema[name] = value;
    else if (maps.has(name))
      schema[name] = { ...(schema[name] as object), ...convertMap(value, isDraft7) };
    else schema[name] = convert(value, isDraft7);
  }
  return schema;
}

function convertMap(value: unknown, isDraft7: boolean): Schema {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, convert(one, isDraft7)]),
  );
}

/** Splits what an older dialect says in one keyword into the two of the newer. */
function addDependencies(
  schema: Record<string, unknown>,
  dependencies: Schema,
  isDraft7: boolean,
): void {
  const parts = Object.groupBy(Object.entries(dependencies), ([, one]) =>
    Array.isArray(one) ? "dependentRequired" : "dependentSchemas",
  );
  for (const [keyword, members = []] of Object.entries(parts)) {
    const converted = convertMap(Object.fromEntries(members), isDraft7);
    schema[keyword] = { ...(schema[keyword] as object), ...converted };
  }
}

/** A reference into the same schema, whose path names keywords as they are called after the conversion. */
function convertReference(reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return reference;
  const segments = reference.slice(2).split("/");
  let isName = false;
  const converted = segments.map((segment, index) => {
    if (isName) {
      isName = false;
      return segment;
    }
    isName = maps.has(segment);
    if (segment === "definitions") return "$defs";
    if (segment === "dependencies") return "dependentSchemas";
    if (segment === "items" && /^\d+$/.test(segments[index + 1] ?? "")) return "prefixItems";
    return segment === "additionalItems" ? "items" : segment;
  });
  return `#/${converted.join("/")}`;
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
