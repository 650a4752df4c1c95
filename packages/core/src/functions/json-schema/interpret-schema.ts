// Checks values with cheap schemas on the event loop, in the order and with the words of ajv, which checks all others
// in threads.
import type { CheapSchema } from "./cheap-schema.ts";
import { cutFault, type Fault, readName } from "./explain-errors.ts";

/** It is not known here: a thread must say. */
export const UNSURE = Symbol("unsure");
type Verdict = Fault | typeof UNSURE | undefined;

/** Steps after which a check is left to a thread: some 50 ns each. */
const MAX_STEPS = 2000;
const STEPS_OF_NODE = 8;
/** Characters that are counted in one step. */
const CHARACTERS = 32;

type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";
type JsonObject = Readonly<Record<string, unknown>>;

interface Check {
  readonly schema: CheapSchema;
  readonly left: { steps: number };
}

/** The fault of a value as JSON would give it, undefined for a valid one, or `UNSURE` in at most 0.2 ms. */
export function interpretSchema(schema: CheapSchema, value: unknown): Verdict {
  return check(schema, value, { steps: MAX_STEPS });
}

function check(schema: CheapSchema, value: unknown, left: { steps: number }): Verdict {
  const kind = kindOf(value);
  if (kind === undefined || !take(left, STEPS_OF_NODE)) return UNSURE;
  const { type } = schema;
  const types = typeof type === "string" ? [type] : (type ?? []);
  const isTyped = types.length === 0 || types.some((one) => isOfType(one, kind, value));
  // A single type is compared when the keywords of the type are reached, if there are any.
  const late = types.length === 1 ? groups.find(({ of }) => of === types[0]) : undefined;
  const lateKind = late !== undefined && isUsed(late, schema) ? late.of : undefined;
  const wrongType = (): Verdict => failed(`must be ${String(type)}`);
  if (!isTyped && lateKind === undefined) return wrongType();
  const verdict = checkAny({ schema, left }, value);
  if (verdict !== undefined) return verdict;
  for (const group of groups) {
    if (!isUsed(group, schema)) continue;
    if (group.of !== kind) {
      if (group.of === lateKind) return wrongType();
      continue;
    }
    const found = group.check({ schema, left }, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkAny({ schema, left }: Check, value: unknown): Verdict {
  if (schema.const !== undefined && value !== schema.const) {
    return failed(`must be ${JSON.stringify(schema.const)}`);
  }
  if (schema.enum === undefined) return undefined;
  if (!take(left, schema.enum.length)) return UNSURE;
  if ((schema.enum as readonly unknown[]).includes(value)) return undefined;
  return failed(`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
}

function checkNumber({ schema }: Check, value: unknown): Verdict {
  const number = value as number;
  const { maximum, minimum, exclusiveMaximum: below, exclusiveMinimum: above } = schema;
  const { multipleOf } = schema;
  if (maximum !== undefined && number > maximum) return failed(`must be <= ${maximum}`);
  if (minimum !== undefined && number < minimum) return failed(`must be >= ${minimum}`);
  if (below !== undefined && number >= below) return failed(`must be < ${below}`);
  if (above !== undefined && number <= above) return failed(`must be > ${above}`);
  if (multipleOf === undefined || isWhole(number / multipleOf)) return undefined;
  return failed(`must be multiple of ${multipleOf}`);
}

/** Whether a quotient is whole for ajv: from 1e21 on, none is. */
const isWhole = (quotient: number): boolean =>
  Number.isInteger(quotient) && Math.abs(quotient) < 1e21;

function checkString({ schema, left }: Check, value: unknown): Verdict {
  const text = value as string;
  if (!take(left, text.length / CHARACTERS)) return UNSURE;
  return checkCount(countCodePoints(text), "characters", schema.maxLength, schema.minLength);
}

function checkArray({ schema, left }: Check, value: unknown): Verdict {
  const { length } = value as readonly unknown[];
  const fault = checkCount(length, "items", schema.maxItems, schema.minItems);
  if (fault !== undefined || schema.items === undefined) return fault;
  for (let index = 0; index < length; index++) {
    const found = check(schema.items, (value as readonly unknown[])[index], left);
    if (found !== undefined) return inside(index, found);
  }
  return undefined;
}

function checkObject({ schema, left }: Check, value: unknown): Verdict {
  const object = value as JsonObject;
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(object);
  const known = Object.keys(properties);
  if (!take(left, names.length + known.length + required.length)) return UNSURE;
  if (names.some((name) => object[name] === undefined)) return UNSURE;
  const { maxProperties, minProperties } = schema;
  const fault = checkCount(names.length, "properties", maxProperties, minProperties);
  if (fault !== undefined) return fault;
  const missing = required.find((name) => !Object.hasOwn(object, name));
  if (missing !== undefined) return failed(`must have required property '${missing}'`);
  if (additionalProperties === false) {
    const extra = names.find((name) => !Object.hasOwn(properties, name));
    if (extra !== undefined) return { path: [cutFault(extra)], message: "is not allowed" };
  }
  for (const name of known) {
    if (!Object.hasOwn(object, name)) continue;
    const found = check(properties[name]!, object[name], left);
    if (found !== undefined) return inside(readName(name), found);
  }
  return undefined;
}

function checkCount(count: number, of: string, most = Infinity, least = 0): Verdict {
  if (count > most) return failed(`must NOT have more than ${most} ${of}`);
  return count < least ? failed(`must NOT have fewer than ${least} ${of}`) : undefined;
}

/** The keywords of each type, in ajv's order. A format says nothing, but counts as used. */
const groups: readonly {
  readonly of: Kind;
  readonly keywords: readonly (keyof CheapSchema)[];
  readonly check: (given: Check, value: unknown) => Verdict;
}[] = [
  {
    of: "number",
    keywords: [
      "maximum",
      "minimum",
      "exclusiveMaximum",
      "exclusiveMinimum",
      "multipleOf",
      "format",
    ],
    check: checkNumber,
  },
  { of: "string", keywords: ["maxLength", "minLength", "format"], check: checkString },
  { of: "array", keywords: ["maxItems", "minItems", "items"], check: checkArray },
  {
    of: "object",
    keywords: ["maxProperties", "minProperties", "required", "additionalProperties", "properties"],
    check: checkObject,
  },
];

const isUsed = ({ keywords }: (typeof groups)[number], schema: CheapSchema): boolean =>
  keywords.some((name) => schema[name] !== undefined);

/** The kind of a value in JSON; undefined for what JSON writes otherwise, or not at all. */
function kindOf(value: unknown): Kind | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "toJSON" in value ? undefined : "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return Number.isFinite(value) ? "number" : undefined;
    case "object": {
      const isPlain = Object.getPrototypeOf(value) === Object.prototype && !("toJSON" in value);
      return isPlain ? "object" : undefined;
    }
    default:
      return undefined;
  }
}

function isOfType(type: string, kind: Kind, value: unknown): boolean {
  return type === kind || (type === "integer" && Number.isInteger(value));
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function take(left: { steps: number }, steps: number): boolean {
  left.steps -= steps;
  return left.steps >= 0;
}

const failed = (message: string): Fault => ({ path: [], message: cutFault(message) });

const inside = (segment: PropertyKey, verdict: Fault | typeof UNSURE): Verdict =>
  verdict === UNSURE ? UNSURE : { ...verdict, path: [segment, ...verdict.path] };
