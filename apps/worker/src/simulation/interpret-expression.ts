// Evaluates cheap expressions on the event loop, as JSONata does all others in threads. It knows scalars and objects
// that an expression makes. What a list, a sequence or an object of the input would mean, and which error there is, it
// leaves to the thread.
import type { CheapExpression, Scalar } from "./cheap-expression.ts";

/** It is not known here: a thread must say. */
export const UNSURE = Symbol("unsure");

type Value = Scalar | undefined | { readonly [name: string]: Value };

/** What an evaluation may still take: a step for each node, and for each 16 characters of texts. */
export interface StepsLeft {
  steps: number;
}

/** What expressions read. */
export interface Readable {
  /** A value of JSON. */
  readonly input: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
}

const CHARACTERS = 16;
const STEPS_OF_JOIN = 5;
/** Members by which JSONata knows its functions and streams. */
const marks = ["_jsonata_lambda", "_jsonata_function", "tupleStream"] as const;

/** The value of a cheap expression; UNSURE if it has none, or none that is known here within the steps. */
export function interpretExpression(
  expression: CheapExpression,
  given: Readable,
  left: StepsLeft,
): Value | typeof UNSURE {
  return isOpaque(given.input) ? UNSURE : interpret(expression, given, left);
}

function interpret(
  expression: CheapExpression,
  given: Readable,
  left: StepsLeft,
): Value | typeof UNSURE {
  if (!take(left, 1)) return UNSURE;
  switch (expression.type) {
    case "literal":
      return scalar(expression.value, left);
    case "path":
      return readPath(expression.names, given.input, left);
    case "variable": {
      const { name } = expression;
      return Object.hasOwn(given.variables, name) ? scalar(given.variables[name], left) : UNSURE;
    }
    case "negative": {
      const of = interpret(expression.of, given, left);
      if (of === undefined) return undefined;
      return isNumber(of) ? -of : UNSURE;
    }
    case "binary": {
      const one = interpret(expression.left, given, left);
      const other = interpret(expression.right, given, left);
      if (!isScalar(one) || !isScalar(other)) return UNSURE;
      // JSONata rounds fractions that it concatenates.
      if (expression.operator === "&" && !take(left, STEPS_OF_JOIN)) return UNSURE;
      return scalar(operate(expression.operator, one, other), left);
    }
    case "object":
      return construct(expression.members, given, left);
    default:
      return UNSURE;
  }
}

function construct(
  members: readonly (readonly [string, CheapExpression])[],
  given: Readable,
  left: StepsLeft,
): Value | typeof UNSURE {
  const object = Object.create(null) as Record<string, Value>;
  for (const [name, of] of members) {
    const value = interpret(of, given, left);
    if (value === UNSURE || !take(left, name.length / CHARACTERS)) return UNSURE;
    if (value !== undefined) object[name] = value;
  }
  return object;
}

function readPath(names: readonly string[], input: unknown, left: StepsLeft) {
  if (!take(left, names.length)) return UNSURE;
  let at = input;
  for (const name of names) {
    if (isOpaque(at)) return UNSURE;
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return scalar(at, left);
}

function operate(operator: string, one: Scalar | undefined, other: Scalar | undefined) {
  switch (operator) {
    case "&":
      return textOf(one) + textOf(other);
    case "=":
      return one !== undefined && one === other;
    case "!=":
      return one !== undefined && other !== undefined && one !== other;
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compare(operator, one, other);
    default:
      return calculate(operator, one, other);
  }
}

function compare(operator: string, one: Scalar | undefined, other: Scalar | undefined) {
  const isComparable = (value: unknown) => ["string", "number", "undefined"].includes(typeof value);
  if (!isComparable(one) || !isComparable(other)) return UNSURE;
  if (one === undefined || other === undefined) return undefined;
  if (typeof one !== typeof other) return UNSURE;
  // Both are texts or numbers.
  const [a, b] = [one, other] as [string, string];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

function calculate(operator: string, one: Scalar | undefined, other: Scalar | undefined) {
  if ([one, other].some((value) => value !== undefined && !isNumber(value))) return UNSURE;
  if (one === undefined || other === undefined) return undefined;
  const [a, b] = [Number(one), Number(other)];
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  return operator === "/" ? a / b : a % b;
}

/** The text that JSONata concatenates for a value. */
function textOf(value: Scalar | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  const isFraction = typeof value === "number" && !Number.isInteger(value);
  return JSON.stringify(isFraction ? Number(value.toPrecision(15)) : value);
}

/** A value if it is a scalar that JSON has, and there are steps for it. */
function scalar(value: unknown, left: StepsLeft): Scalar | undefined | typeof UNSURE {
  if (!isScalar(value)) return UNSURE;
  if (typeof value === "string" && !take(left, value.length / CHARACTERS)) return UNSURE;
  return value;
}

const isScalar = (value: unknown): value is Scalar | undefined =>
  value === null || ["string", "boolean", "undefined"].includes(typeof value) || isNumber(value);

/** A number that is not finite has an error, or becomes null. */
const isNumber = (value: unknown): value is number => Number.isFinite(value);

/** Whether JSONata does more with a value than to read members: it has lists, and what has its own marks. */
const isOpaque = (value: unknown): boolean =>
  Array.isArray(value) ||
  (typeof value === "object" && value !== null && marks.some((name) => Object.hasOwn(value, name)));

function take(left: StepsLeft, steps: number): boolean {
  left.steps -= steps;
  return left.steps >= 0;
}
