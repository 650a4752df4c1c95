import jsonata from "jsonata";
import type { InvocationError } from "@parley/schema";
import { type Draw, startDraws } from "./seeds.ts";

/** The environment of an expression besides its input. */
export interface Surroundings {
  /** Seed of its $random and $shuffle. */
  readonly state: () => readonly number[];
  /** Time that its $now and $millis give. */
  readonly nowMs: number;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Why there is no value. */
export type EvaluationFailure = Readonly<Pick<InvocationError, "code" | "message">>;

const MAX_SEQUENCE = 1_000_000;
const MAX_STACK = 500;

/** Parses an expression that stops itself after `timeoutMs` if JSONata can. */
export function parseExpression(expression: string, timeoutMs: number): jsonata.Expression {
  return jsonata(expression, { timeout: timeoutMs, stack: MAX_STACK, sequence: MAX_SEQUENCE });
}

const now = jsonata("$fromMillis($at, $picture, $timezone)");

/** JSON of an expression's value over an input; randomness and the clock are injected. */
export async function evaluate(
  parsed: jsonata.Expression,
  input: unknown,
  { state, nowMs, variables }: Surroundings,
): Promise<{ readonly json: string } | EvaluationFailure> {
  let draw: Draw | undefined;
  const random: Draw = () => (draw ??= startDraws(state()))();
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

/** The failure for an error of JSONata. */
export function describeFailure(cause: unknown): EvaluationFailure {
  // JSONata throws objects that are not errors.
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
