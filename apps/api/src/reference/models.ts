import * as schema from "@parley/schema";
import * as z from "zod";

/** A JSON Schema of the dialect that OpenAPI 3.1 speaks. */
export type JsonSchema = Record<string, unknown>;

/** The models of requests or of responses as JSON Schemas. */
export interface Models {
  /** Named models that are referred to, for the document's components. */
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** The schema of a part of an endpoint; a reference if it is a named model. */
  of(part: string): JsonSchema;
  /** The schema of a part itself. */
  shapeOf(part: string): JsonSchema;
}

const PREFIX = "#/components/schemas/";

/** The models that have a name of their own. */
const named = Object.entries(schema as Record<string, unknown>).filter(
  (entry): entry is [string, z.ZodType] =>
    entry[1] instanceof z.ZodType &&
    !["Reference", "ShortText", "UrlText", "Milliseconds"].includes(entry[0]),
);

/**
 * Describes parts of endpoints as JSON Schemas, of requests (`input`) or of responses (`output`); the models
 * in `inTwoForms` have another name in requests.
 */
export function describeModels(
  parts: Record<string, z.ZodType>,
  { io, inTwoForms }: { io: "input" | "output"; inTwoForms: ReadonlySet<string> },
): Models {
  const registry = z.registry<{ id: string }>();
  const isRenamed = (name: string) => io === "input" && inTwoForms.has(name);
  for (const [name, model] of named) {
    registry.add(model, { id: isRenamed(name) ? `${name}Input` : name });
  }
  // A part that is a named model is referred to by that name.
  const places = Object.entries(parts).map(([part, model]) => {
    const known = registry.get(model);
    if (known === undefined) registry.add(model, { id: part });
    return [part, known?.id] as const;
  });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    unrepresentable: "any",
    uri: (id) => PREFIX + id,
    override: ({ zodSchema, jsonSchema }) => {
      complete(zodSchema, jsonSchema, io);
    },
  }) as { schemas: Record<string, JsonSchema> };
  for (const one of Object.values(schemas)) {
    delete one["$schema"];
    delete one["$id"];
  }
  const names = new Map(places);
  const components: Record<string, JsonSchema> = {};
  const collect = (value: unknown): void => {
    for (const name of namesIn(value)) {
      if (components[name] !== undefined) continue;
      components[name] = schemas[name] ?? {};
      collect(components[name]);
    }
  };
  const shapeOf = (part: string): JsonSchema => {
    const shape = schemas[names.get(part) ?? part];
    if (shape === undefined) throw new Error(`There is no model of ${part}`);
    collect(shape);
    return shape;
  };
  const of = (part: string): JsonSchema => {
    const name = names.get(part);
    if (name === undefined) return shapeOf(part);
    const reference = { $ref: PREFIX + name };
    collect(reference);
    return reference;
  };
  return { components, of, shapeOf };
}

/** Adjusts what zod leaves out or describes too strictly. */
function complete(
  node: z.core.$ZodTypes,
  json: Record<string, unknown>,
  io: "input" | "output",
): void {
  // Examples are of whole requests and responses.
  delete json["example"];
  // Responses may have further members one day; requests may have them now.
  if (json["additionalProperties"] === false) delete json["additionalProperties"];
  if (node === (schema.Timezone as z.core.$ZodType)) json["enum"] = schema.timezoneNames;
  if (node === (schema.RequestedTimezone as z.core.$ZodType)) {
    json["enum"] = [...schema.timezoneNames, ...Object.keys(schema.timezoneAliases)];
  }
  // A type that may be left out makes the options overlap.
  if (json["oneOf"] !== undefined && node instanceof z.ZodDiscriminatedUnion) {
    const { discriminator, options } = node.def;
    const mayLack = (option: z.core.$ZodType) =>
      option instanceof z.ZodObject && option.shape[discriminator]?.isOptional() === true;
    if (options.some(mayLack)) {
      json["anyOf"] = json["oneOf"];
      delete json["oneOf"];
    }
  }
  // Text that is parsed as a number has the bounds of the number.
  if (io === "input" && node instanceof z.ZodPipe && node.in instanceof z.ZodNumber) {
    const number = z.toJSONSchema(node.out, { io }) as Record<string, unknown>;
    delete number["$schema"];
    Object.assign(json, number);
  }
}

function namesIn(value: unknown): string[] {
  const text = JSON.stringify(value);
  return [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name);
}
