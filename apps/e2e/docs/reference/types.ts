import type { JsonSchema } from "./open-api.ts";

/** What types are written with: the models of a document, and the links to those that have a section. */
export interface Names {
  /** The schema of a model. */
  readonly models: Readonly<Record<string, JsonSchema>>;
  /** A link to the section of a model. */
  link(name: string): string;
}

const PREFIX = "#/components/schemas/";
/** Words that a type lists; of more it gives the number. */
const MOST_WORDS = 12;

/** The model that a schema refers to, if it does. */
export const modelOf = ({ $ref }: JsonSchema): string | undefined => $ref?.slice(PREFIX.length);

/** The options of a union; those that are not null. */
export function optionsOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== "null");
}

/** Whether values have members that are described one by one. */
export function hasMembers({ properties = {} }: JsonSchema): boolean {
  return Object.keys(properties).length > 0;
}

/** Whether a model has a section of its own: an object, or several kinds of objects. */
export function hasSection(name: string, { models }: Pick<Names, "models">): boolean {
  const schema = models[name] ?? {};
  const isObject = (one: JsonSchema): boolean => hasMembers(models[modelOf(one) ?? ""] ?? one);
  return /^[A-Z]\w*$/.test(name) && [schema, ...optionsOf(schema)].some(isObject);
}

/** The schema itself, if a reference has no section; without the null that it may be. */
export function resolve(schema: JsonSchema, names: Names): JsonSchema {
  const [only, ...others] = optionsOf(schema);
  if (only !== undefined && others.length === 0) return resolve(only, names);
  const name = modelOf(schema);
  if (name === undefined || hasSection(name, names)) return schema;
  return resolve(names.models[name] ?? {}, names);
}

/** The type of a member as a reader says it, such as "text (1 to 255 characters) or null". */
export function renderType(schema: JsonSchema, names: Names): string {
  const isNull = (one: JsonSchema) => one.type === "null";
  const isNullable =
    (schema.anyOf ?? schema.oneOf ?? []).some(isNull) || [schema.type].flat().includes("null");
  const name = modelOf(schema);
  const byDefault =
    schema.default === undefined || schema.default === null || schema.default === ""
      ? ""
      : `; default \`${JSON.stringify(schema.default)}\``;
  const type =
    name === undefined
      ? renderOne(schema, names)
      : hasSection(name, names)
        ? names.link(name)
        : renderType(names.models[name] ?? {}, names);
  return `${type}${isNullable && !type.endsWith(" or null") ? " or null" : ""}${byDefault}`;
}

function renderOne(schema: JsonSchema, names: Names): string {
  const options = optionsOf(schema);
  if (options.length > 0) {
    return [...new Set(options.map((option) => renderType(option, names)))].join(" or ");
  }
  if (schema.allOf !== undefined) return renderType(schema.allOf[0] ?? {}, names);
  if (schema.const !== undefined) return renderWords([schema.const]);
  if (schema.enum !== undefined) return renderWords(schema.enum);
  const type = [schema.type].flat().find((one) => one !== "null");
  if (type === "string") return renderText(schema);
  if (type === "integer" || type === "number") return renderNumber(type, schema);
  if (type === "array") {
    const count = range(schema.minItems ?? 0, schema.maxItems);
    return `list${count && ` (${count})`} of ${renderType(schema.items ?? {}, names)}`;
  }
  if (type !== "object") return type ?? "any JSON";
  const { additionalProperties: values } = schema;
  return typeof values === "object" && Object.keys(values).length > 0
    ? `object of ${renderType(values, names)}`
    : "object";
}

function renderWords(words: readonly unknown[]): string {
  if (words.length > MOST_WORDS) return `one of ${words.length} words`;
  const all = words.map((word) => `\`${typeof word === "string" ? word : JSON.stringify(word)}\``);
  const last = all.pop() ?? "";
  return all.length === 0 ? last : `${all.join(", ")} or ${last}`;
}

function renderText({ minLength = 0, maxLength, format, contentMediaType }: JsonSchema): string {
  if (contentMediaType !== undefined) return "bytes";
  if (format === "date-time") return "time";
  const name = format === "uri" ? "URL" : "text";
  const length = range(minLength, maxLength);
  if (length === "at least 1") return `${name} (not empty)`;
  return length === "" ? name : `${name} (${length} characters)`;
}

function renderNumber(type: string, schema: JsonSchema): string {
  const least = schema.minimum === Number.MIN_SAFE_INTEGER ? undefined : schema.minimum;
  const most = schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum;
  const above = schema.exclusiveMinimum;
  const bounds = [
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(least === undefined && most !== undefined ? [`at most ${most}`] : []),
    ...(least === undefined ? [] : [range(least, most, true)]),
  ];
  return bounds.length === 0 ? type : `${type} (${bounds.join(", ")})`;
}

/** "1 to 5", "at most 5", "at least 1"; nothing if there is no bound. */
function range(least: number, most?: number, saysZero = false): string {
  if (most === undefined) return least === 0 && !saysZero ? "" : `at least ${least}`;
  if (least === most) return `exactly ${least}`;
  return least === 0 && !saysZero ? `at most ${most}` : `${least} to ${most}`;
}
