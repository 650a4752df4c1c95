/** The types that the JSON Schemas of a function say, for editors and compilers. */

/** The file with them, which code imports. It is written again when the schemas change, and no part of the function. */
export const SCHEMA_FILE = "schema.d.ts";

const NOTICE = `// Written from function.json by parley functions dev: change the schemas there.\n`;

/** Whether a text is one that was written from schemas. */
export const isWrittenFromSchemas = (text: string): boolean => text.startsWith(NOTICE);

interface Schemas {
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** The file with the types `Input` and `Result`. What a type cannot say is left out, or `unknown`. */
export function renderSchemaTypes({ inputSchema, outputSchema }: Schemas): string {
  return [
    NOTICE,
    `/** What the function is given. */\nexport type Input = ${new Types(inputSchema).whole()};\n`,
    `/** What it returns. */\nexport type Result = ${new Types(outputSchema).whole()};\n`,
  ].join("\n");
}

type Schema = Readonly<Record<string, unknown>>;

/** Schemas may double with each reference: what is beyond is `unknown`. */
const MAX_TYPES = 2000;

const words: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** Where a type is written: how deep in objects, and what references led there. */
interface Place {
  readonly indent: string;
  readonly followed: readonly string[];
}

class Types {
  readonly #root: unknown;
  #left = MAX_TYPES;

  constructor(root: unknown) {
    this.#root = root ?? {};
  }

  whole(): string {
    return this.#typeOf(this.#root, { indent: "", followed: ["#"] });
  }

  #typeOf(schema: unknown, place: Place): string {
    if (schema === false) return "never";
    if (!isObject(schema) || --this.#left < 0) return "unknown";
    const { $ref, const: constant, enum: values, type } = schema;
    if (typeof $ref === "string") return this.#referredBy($ref, place);
    if (constant !== undefined) return literal(constant);
    if (Array.isArray(values)) return oneOf(values.map(literal));
    const alternatives = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(alternatives)) {
      return oneOf(alternatives.map((one) => this.#typeOf(one, place)));
    }
    if (Array.isArray(type)) {
      return oneOf(type.map((one) => this.#ofType(String(one), schema, place)));
    }
    const isOfObjects = type === undefined && isObject(schema["properties"]);
    return this.#ofType(isOfObjects ? "object" : String(type), schema, place);
  }

  #ofType(type: string, schema: Schema, place: Place): string {
    if (type === "array") return this.#arrayOf(schema, place);
    if (type === "object") return this.#objectOf(schema, place);
    return words[type] ?? "unknown";
  }

  #arrayOf({ items, prefixItems }: Schema, place: Place): string {
    // Before 2020-12, a list of schemas is that of a tuple.
    const first = prefixItems ?? items;
    if (Array.isArray(first)) {
      return `[${first.map((one) => this.#typeOf(one, place)).join(", ")}, ...unknown[]]`;
    }
    const item = this.#typeOf(items, place);
    return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }

  #objectOf({ properties, required, additionalProperties }: Schema, place: Place): string {
    const members = isObject(properties) ? Object.entries(properties) : [];
    if (members.length === 0) return `Record<string, ${this.#typeOf(additionalProperties, place)}>`;
    const needed = new Set(Array.isArray(required) ? required : []);
    const inside = { ...place, indent: `${place.indent}  ` };
    const lines = members.map(([name, member]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const mark = needed.has(name) ? "" : "?";
      const type = this.#typeOf(member, inside);
      return `${noteOf(member, inside.indent)}${inside.indent}${key}${mark}: ${type};`;
    });
    return `{\n${lines.join("\n")}\n${place.indent}}`;
  }

  /** The type of what a reference within the schema leads to; one that is in itself has no type. */
  #referredBy(reference: string, { indent, followed }: Place): string {
    if (!reference.startsWith("#") || followed.includes(reference)) return "unknown";
    const steps = reference.slice(1).split("/").slice(1);
    const found = steps.reduce<unknown>((at, step) => {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }, this.#root);
    return this.#typeOf(found, { indent, followed: [...followed, reference] });
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const literal = (value: unknown): string =>
  typeof value === "object" && value !== null ? "unknown" : JSON.stringify(value);

const oneOf = (types: readonly string[]): string => [...new Set(types)].join(" | ") || "never";

/** The description of a member, as its comment. */
function noteOf(member: unknown, indent: string): string {
  const description = isObject(member) ? member["description"] : undefined;
  if (typeof description !== "string" || description === "") return "";
  const text = description.replaceAll(/\s+/g, " ").replaceAll("*/", "* /").trim();
  return `${indent}/** ${text} */\n`;
}
