import { type Issue, ParleyError } from "./errors.ts";
import { formatPath, invalidRequest } from "./invalid-request.ts";
import { isStorable } from "./text.ts";

const MAX_DEPTH = 64;
const ignored: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const LOSSY_INTEGER = Symbol("an integer whose digits a double cannot hold");

/**
 * Parses a request body: `JSON.parse`, but integers past 2^53 are found instead of rounded.
 * Throws `invalid_request_error`.
 */
export function parseJson(text: string): unknown {
  try {
    // Sixteen digits in a row are rare, and only they need the slow reviver.
    return /\d{16}/.test(text) ? JSON.parse(text, markLossyIntegers) : JSON.parse(text);
  } catch (cause) {
    throw new ParleyError("invalid_request_error", "Invalid request body: malformed JSON", {
      cause,
    });
  }
}

function markLossyIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context?.source ?? "") ? LOSSY_INTEGER : value;
}

/**
 * Checks every string, number and level of a body and takes out the members that could reach a
 * prototype. Changes the value in place. Throws `invalid_request_error` naming the field.
 */
export function cleanJson(value: unknown): unknown {
  const path: PropertyKey[] = [];
  const fault = findFault(value, path);
  if (fault !== undefined)
    throw invalidRequest("body", [{ path: formatPath(path), message: fault }]);
  return value;
}

function findFault(value: unknown, path: PropertyKey[]): Issue["message"] | undefined {
  if (typeof value === "string") {
    return isStorable(value) ? undefined : "must not contain NUL or a lone surrogate";
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "must be a finite number";
  }
  // RPC can carry a bigint, which JSON cannot.
  if (value === LOSSY_INTEGER || typeof value === "bigint") return "must be an integer within 2^53";
  if (!isJsonType(value)) return "must be JSON";
  if (typeof value !== "object" || value === null) return undefined;
  if (path.length >= MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH}`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      const fault = findFault(value[index], path);
      if (fault !== undefined) return fault;
      path.pop();
    }
    return undefined;
  }
  return findFaultInMembers(value as Record<string, unknown>, path);
}

/** Whether JSON has values of this type; over RPC come also dates, maps and big integers. */
function isJsonType(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return !["bigint", "symbol", "function"].includes(typeof value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function findFaultInMembers(
  object: Record<string, unknown>,
  path: PropertyKey[],
): string | undefined {
  for (const key of Object.keys(object)) {
    if (ignored.has(key)) {
      delete object[key];
      continue;
    }
    if (!isStorable(key)) return "must not have a name with NUL or a lone surrogate";
    path.push(key);
    const fault = findFault(object[key], path);
    if (fault !== undefined) return fault;
    path.pop();
  }
  return undefined;
}
