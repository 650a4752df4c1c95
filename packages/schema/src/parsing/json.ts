import * as z from "zod";
import { type Issue, ParleyError } from "../errors/errors.ts";
import { formatPath, invalidRequest } from "../errors/invalid-request.ts";
import { type SentValue, toPlain } from "./plain-values.ts";
import { isStorable } from "./text.ts";

/** Any JSON in an input. Typed for callers only: every parsed value is JSON. */
export const AnyJson = z.unknown() as z.ZodType<unknown, SentValue>;

const MAX_DEPTH = 64;
/** Most values of any body, including objects and arrays: bounds the time to process it. */
export const MAX_VALUES = 100_000;
const ignored: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const LOSSY_INTEGER = Symbol("an integer whose digits a double cannot hold");

/**
 * Parses a request body like `JSON.parse`, but detects integers past 2^53 instead of rounding them.
 * Throws `invalid_request_error`.
 */
export function parseJson(text: string): unknown {
  requireFewValues(text);
  return parseCountedJson(text);
}

/** The same for a body whose values were counted before. */
export function parseCountedJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A reviver takes 1 µs for each value, so it is used only for a body that will be refused.
    const isLossy = holdsLongDigits(text) && holdsLargeInteger(value);
    return isLossy ? JSON.parse(text, markLossyIntegers) : value;
  } catch (cause) {
    throw new ParleyError("invalid_request_error", "Invalid request body: malformed JSON", {
      cause,
    });
  }
}

/**
 * Refuses a body with too many values before it is parsed: 8 MiB of `0,` take seconds to walk, and
 * 8 MiB of `[` to parse. Throws `invalid_request_error`.
 */
export function requireFewValues(text: string, most = MAX_VALUES): void {
  // A value takes at least a character.
  if (text.length > most && countValues(text, most) > most) throw tooManyValues(most);
}

/** The refusal of a body that holds more values than it may. */
export function tooManyValues(most: number): ParleyError {
  const message = `Invalid request body: must hold at most ${most} values`;
  return new ParleyError("invalid_request_error", message);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the values of JSON, to one past `most`: each but the first follows a comma, or is the first in its parent. */
export function countValues(text: string, most = MAX_VALUES): number {
  let values = 1;
  for (let index = 0; index < text.length && values <= most; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfText(text, index);
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST) values += text.charCodeAt(index + 1) === CLOSE_LIST ? 0 : 1;
    else if (code === OPEN_OBJECT) values += text.charCodeAt(index + 1) === CLOSE_OBJECT ? 0 : 1;
  }
  return values;
}

/** Whether JSON is nested deeper than `most`. It looks at the text instead of the value, so that no recursion is needed. */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfText(text, index);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > most) return true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
  }
  return false;
}

/** Index of the closing quote of the string that starts at `start`. */
function endOfText(text: string, start: number): number {
  // A loop takes 20 ms for 8 MiB, and this 0.4 ms; escapes are rare.
  const next = text.indexOf('"', start + 1);
  if (next === -1) return text.length;
  if (text.charCodeAt(next - 1) !== BACKSLASH) return next;
  let index = start + 1;
  for (let code; index < text.length && (code = text.charCodeAt(index)) !== QUOTE; index++) {
    if (code === BACKSLASH) index++;
  }
  return index;
}

const LONG_DIGITS = 16;

/** Whether there are 16 digits in a row. A regular expression looks at each character: 8 ms for 8 MiB of text. */
function holdsLongDigits(text: string): boolean {
  const isDigit = (index: number): boolean => {
    const code = text.charCodeAt(index);
    return code >= 0x30 && code <= 0x39;
  };
  // Of 16 characters in a row, one has an index that 16 divides.
  for (let index = 0; index < text.length; index += LONG_DIGITS) {
    if (!isDigit(index)) continue;
    let start = index;
    while (isDigit(start - 1)) start--;
    let end = index + 1;
    while (end - start < LONG_DIGITS && isDigit(end)) end++;
    if (end - start >= LONG_DIGITS) return true;
  }
  return false;
}

function holdsLargeInteger(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsLargeInteger);
}

function markLossyIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context?.source ?? "") ? LOSSY_INTEGER : value;
}

/**
 * Checks every string, number and level of a body, removes members that are undefined or could reach a prototype, and
 * replaces what `toPlain` makes JSON of, in place. Throws `invalid_request_error` that names the field.
 */
export function cleanJson(value: unknown): unknown {
  const path: PropertyKey[] = [];
  const holder: Holder = { 0: value };
  const fault = findFault(holder, 0, path);
  if (fault !== undefined)
    throw invalidRequest("body", [{ path: formatPath(path), message: fault }]);
  return holder[0];
}

type Holder = Record<PropertyKey, unknown>;

function findFault(
  holder: Holder,
  name: string | number,
  path: PropertyKey[],
): Issue["message"] | undefined {
  const value = holder[name];
  if (typeof value === "string") {
    return isStorable(value) ? undefined : "must not contain NUL or a lone surrogate";
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "must be a finite number";
  }
  if (!isJsonType(value)) {
    const plain = toPlain(value);
    if (plain === value) return faultOf(value);
    holder[name] = plain;
    return findFault(holder, name, path);
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (path.length >= MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH}`;
  return Array.isArray(value)
    ? findFaultInList(value, path)
    : findFaultInMembers(value as Holder, path);
}

/** What is wrong with a value that `toPlain` makes no JSON of. */
function faultOf(value: unknown): string {
  if (value === LOSSY_INTEGER || typeof value === "bigint") return "must be an integer within 2^53";
  return value instanceof Map
    ? "must be a Map with texts as keys, and without __proto__"
    : "must be JSON";
}

/** Whether JSON has values of this type. */
function isJsonType(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return !["bigint", "symbol", "function"].includes(typeof value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function findFaultInList(list: unknown[], path: PropertyKey[]): string | undefined {
  for (let index = 0; index < list.length; index++) {
    if (list[index] === undefined) list[index] = null;
    path.push(index);
    const fault = findFault(list as unknown as Holder, index, path);
    if (fault !== undefined) return fault;
    path.pop();
  }
  return undefined;
}

function findFaultInMembers(object: Holder, path: PropertyKey[]): string | undefined {
  for (const key of Object.keys(object)) {
    if (object[key] === undefined || ignored.has(key)) {
      delete object[key];
      continue;
    }
    if (!isStorable(key)) return "must not have a name with NUL or a lone surrogate";
    path.push(key);
    const fault = findFault(object, key, path);
    if (fault !== undefined) return fault;
    path.pop();
  }
  return undefined;
}
