// Which schemas are provably cheap to check: decided by their form alone, in bounded time. Their checks are linear
// in the value, and end by themselves. Each keyword of the allowlist means the same in all dialects.

import { dialectNamed } from "./dialects.ts";

type Scalar = string | number | boolean | null;

/** A schema of the allowlist. */
export interface CheapSchema {
  readonly $schema?: string;
  readonly format?: string;
  readonly type?: string | readonly string[];
  readonly const?: Scalar;
  readonly enum?: readonly Scalar[];
  readonly maximum?: number;
  readonly minimum?: number;
  readonly exclusiveMaximum?: number;
  readonly exclusiveMinimum?: number;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly items?: CheapSchema;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, CheapSchema>>;
}

/** Keywords of a schema with its nested ones. */
const MAX_KEYWORDS = 100;
/** Names and values that keywords list, and annotations. */
const MAX_ENTRIES = 1000;
/** What says nothing about a value. */
const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "format",
]);
const types: ReadonlySet<unknown> = new Set([
  "null",
  "boolean",
  "object",
  "array",
  "number",
  "integer",
  "string",
]);

interface Left {
  keywords: number;
  entries: number;
}

type Test = (value: unknown, left: Left) => boolean;

const isNumber: Test = (value) => Number.isFinite(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isScalar: Test = (value) =>
  value === null || typeof value === "string" || typeof value === "boolean" || isFinite(value);
const isFinite = (value: unknown): boolean => Number.isFinite(value);
/** ajv leaves out what has this name in schemas. */
const isName: Test = (name) => typeof name === "string" && name !== "__proto__";
const isListOf =
  (test: Test, least = 1): Test =>
  (list, left) => {
    if (!Array.isArray(list) || list.length < least) return false;
    left.entries -= list.length;
    return left.entries >= 0 && list.every((one) => test(one, left));
  };
const isType: Test = (type) => types.has(type);
const areTypes = isListOf(isType);
const areProperties: Test = (map, left) => {
  if (!isObject(map)) return false;
  const names = Object.keys(map);
  left.entries -= names.length;
  return left.entries >= 0 && names.every((name) => isName(name, left) && isCheap(map[name], left));
};

const keywords: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["type", (value, left) => isType(value, left) || areTypes(value, left)],
  ["const", isScalar],
  ["enum", isListOf(isScalar)],
  ["maximum", isNumber],
  ["minimum", isNumber],
  ["exclusiveMaximum", isNumber],
  ["exclusiveMinimum", isNumber],
  // Of fractions, a quotient is whole or not by the rounding of the last place.
  ["multipleOf", (value) => Number.isSafeInteger(value) && Number(value) > 0],
  ["maxLength", isCount],
  ["minLength", isCount],
  ["maxItems", isCount],
  ["minItems", isCount],
  ["items", (value, left) => isCheap(value, left)],
  ["maxProperties", isCount],
  ["minProperties", isCount],
  // ajv takes the first name that is missing for none if it is empty.
  ["required", isListOf((name, left) => isName(name, left) && name !== "", 0)],
  ["additionalProperties", (value) => typeof value === "boolean"],
  ["properties", areProperties],
]);

/** Whether a valid schema, of any dialect that is known, has keywords of the allowlist only, and few. */
export function isCheapSchema(schema: unknown): schema is CheapSchema {
  return isCheap(schema, { keywords: MAX_KEYWORDS, entries: MAX_ENTRIES });
}

function isCheap(schema: unknown, left: Left): boolean {
  if (!isObject(schema)) return false;
  return Object.keys(schema).every((name) => {
    if (--left.entries < 0) return false;
    if (annotations.has(name)) return true;
    const value = schema[name];
    if (name === "$schema") return dialectNamed(value) !== undefined;
    const test = keywords.get(name);
    return test !== undefined && --left.keywords >= 0 && test(value, left);
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
