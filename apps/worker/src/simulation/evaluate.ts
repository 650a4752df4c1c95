import jsonata from "jsonata";
import type { InvocationErrorCode } from "@parley/schema";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";

/** One expression of a run. */
export interface Evaluation {
  readonly expression: string;
  /** What its $random and $shuffle begin with. */
  readonly state: readonly number[];
  /** What its $now and $millis give. */
  readonly nowMs: number;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** JSON of an expression's value, or why there is none. */
export type Evaluated =
  | { readonly json: string }
  | { readonly code: InvocationErrorCode; readonly message: string };

const MAX_SEQUENCE = 1_000_000;
const MAX_STACK = 500;

/** Parses an expression that is stopped after `timeoutMs`, as far as it can be from within. */
export function parseExpression(expression: string, timeoutMs: number): jsonata.Expression {
  return jsonata(expression, { timeout: timeoutMs, stack: MAX_STACK, sequence: MAX_SEQUENCE });
}

const now = jsonata("$fromMillis($at, $picture, $timezone)");

/** Evaluates an expression over an input; what depends on chance or the clock is given. */
export async function evaluate(
  parsed: jsonata.Expression,
  input: unknown,
  { state, nowMs, variables }: Evaluation,
): Promise<Evaluated> {
  const generator = xoroshiro128plusFromState(state);
  const random = (): number => uniformFloat64(generator);
  const bindings = {
    ...variables,
    random,
    shuffle: (items: unknown) => shuffle(items, random),
    millis: () => nowMs,
    now: (picture?: string, timezone?: string) =>
      now.evaluate(null, { at: nowMs, picture, timezone }),
  };
  try {
    const value: unknown = await parsed.evaluate(input, bindings);
    if (typeof value === "function" || isLambda(value)) {
      return { code: "bad_return", message: "The result must be JSON, not a function" };
    }
    return { json: JSON.stringify(value ?? null) };
  } catch (cause) {
    return describeFailure(cause);
  }
}

function isLambda(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    ("_jsonata_lambda" in value || "_jsonata_function" in value)
  );
}

/** Why there is no value, of what JSONata threw. */
export function describeFailure(cause: unknown): Evaluated {
  // JSONata throws objects that are no errors.
  const { code, message = "The function threw" } = cause as { code?: string; message?: string };
  if (code === "D1012") return { code: "timed_out", message: "The expression took too long" };
  const isTooBig = code === "D2014" || code === "D2015" || message === "Invalid string length";
  return { code: isTooBig ? "out_of_memory" : "threw", message };
}

function shuffle(items: unknown, random: () => number): unknown {
  if (items === undefined) return undefined;
  const shuffled: unknown[] = Array.isArray(items) ? [...(items as unknown[])] : [items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
  }
  return shuffled;
}
