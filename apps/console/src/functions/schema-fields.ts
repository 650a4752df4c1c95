import { parseJson } from "../ui/parse-json.ts";

/** One member of an input, as a field of a form. */
export interface SchemaField {
  readonly name: string;
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "json";
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** JSON of the values of a choice. */
  readonly choices: readonly string[];
  /** Initial text of the field. */
  readonly initial: string;
}

/** Texts of form fields by name; an empty text means no value. */
export type FieldTexts = Readonly<Record<string, string>>;

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a JSON Schema of an object, the required ones first; undefined if no form can represent it. */
export function fieldsOf(schema: Schema | null): readonly SchemaField[] | undefined {
  const properties = schema?.["properties"];
  if (!isObject(properties)) return undefined;
  const type = schema?.["type"];
  if (type !== undefined && type !== "object") return undefined;
  const required = new Set([schema?.["required"]].flat());
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldOf(name, isObject(property) ? property : {}, required.has(name)),
  );
  // The server does not preserve the order of properties.
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function fieldOf(name: string, property: Schema, isRequired: boolean): SchemaField {
  const { description, default: initial, enum: choices } = property;
  const kind = kindOf(property);
  return {
    name,
    kind,
    isRequired,
    description: typeof description === "string" ? description : undefined,
    choices: Array.isArray(choices) ? choices.map((one) => JSON.stringify(one)) : [],
    initial: initial === undefined ? "" : textOf(kind, initial),
  };
}

function kindOf({ type, enum: choices }: Schema): SchemaField["kind"] {
  if (Array.isArray(choices)) return "choice";
  if (type === "string") return "text";
  if (type === "number" || type === "integer" || type === "boolean") return type;
  return "json";
}

/** The text of a field that holds a value. */
function textOf(kind: SchemaField["kind"], value: unknown): string {
  if (kind === "text") return typeof value === "string" ? value : JSON.stringify(value);
  return kind === "json" ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

/** Initial texts of the fields, or their texts for an input. */
export function textsOf(fields: readonly SchemaField[], input?: unknown): FieldTexts {
  const members = isObject(input) ? input : {};
  return Object.fromEntries(
    fields.map(({ name, kind, initial }) => {
      const value = members[name];
      return [name, value === undefined ? initial : textOf(kind, value)];
    }),
  );
}

/** The input from the fields, or an error for each invalid field. */
export function inputOf(
  fields: readonly SchemaField[],
  texts: FieldTexts,
): { readonly input: Schema } | { readonly errors: FieldTexts } {
  const input: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const { name, kind, isRequired } = field;
    const text = texts[name] ?? "";
    if (text === "" && !(isRequired && kind === "text")) {
      if (isRequired) errors[name] = "Required";
      continue;
    }
    try {
      input[name] = valueOf(field, text);
    } catch (error) {
      errors[name] = (error as Error).message;
    }
  }
  return Object.keys(errors).length > 0 ? { errors } : { input };
}

/** The value of a text that is not empty. Throws an `Error` with a readable message. */
function valueOf({ kind }: SchemaField, text: string): unknown {
  if (kind === "text") return text;
  if (kind === "number" || kind === "integer") {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Error("Enter a number");
    if (kind === "integer" && !Number.isSafeInteger(value)) {
      throw new Error("Enter a whole number");
    }
    return value;
  }
  return parseJson(text);
}
