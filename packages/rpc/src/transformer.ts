import { formatPath, invalidRequest, type ParleyError } from "@parley/schema";

/**
 * superjson as clients send it: `{"json": …}`, with notes in `meta` about values that JSON does not have; and
 * plain JSON, as people write it, where it is an object. Notes construct nothing: a `Date` stays the text that superjson writes, and an undefined member is removed. A
 * note of another type, or about a missing place, is an `invalid_request_error` that names the place.
 * Outputs are plain JSON without notes.
 */
export const transformer = {
  serialize: (value: unknown): { json: unknown } => ({ json: value }),
  deserialize: (sent: unknown): unknown => {
    if (!isRecord(sent)) {
      throw refused(
        [],
        'must be an object with the input: plain JSON, or {"json": …} of superjson',
      );
    }
    // No input has a member of this name.
    if (!Object.hasOwn(sent, "json")) return sent;
    const { json, meta } = sent;
    if (meta === undefined || meta === null) return json;
    if (!isRecord(meta)) throw refused([], "meta must be an object, as superjson writes it");
    // `referentialEqualities` is ignored: each place has a copy.
    const { values } = meta;
    if (values === undefined || values === null) return json;
    const root = { json };
    if (Array.isArray(values)) applyNote(root, [], values);
    else if (isRecord(values)) {
      for (const [path, note] of Object.entries(values)) applyNote(root, splitPath(path), note);
    } else throw refused([], "meta.values must be an object or a list, as superjson writes it");
    return root.json;
  },
};

const MAX_PATH_LENGTH = 10_000;
/** The maximal nesting of parsed JSON. */
const MAX_DEPTH = 64;

/** Whether a value is what superjson writes for a type; other types are refused. */
const isWritten: Record<string, (value: unknown) => boolean> = {
  Date: isTime,
  undefined: (value) => value === null,
  // JSON has neither infinities nor NaN.
  number: (value) => value === "-0",
};

function applyNote(root: { json: unknown }, path: readonly string[], note: unknown): void {
  let holder: object = root;
  let name = "json";
  const place: PropertyKey[] = [];
  for (const segment of path) {
    const value = memberOf(holder, name);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) {
      throw refused(place, "has no member that meta.values names");
    }
    place.push(Array.isArray(value) ? Number(segment) : segment);
    holder = value;
    name = segment;
  }
  const [type, ...inner]: unknown[] = Array.isArray(note) ? note : [];
  if (typeof type !== "string" || inner.length > 0 || !Object.hasOwn(isWritten, type)) {
    throw refused(place, `must be JSON, and not ${describeType(type)}`);
  }
  if (isWritten[type]?.(memberOf(holder, name)) !== true) {
    throw refused(place, `must be what superjson writes for ${type}`);
  }
  if (type === "number") Object.assign(holder, { [name]: 0 });
  // In a list, undefined becomes null.
  if (type === "undefined" && !Array.isArray(holder)) Reflect.deleteProperty(holder, name);
}

function memberOf(holder: object, name: string): unknown {
  return (holder as Record<string, unknown>)[name];
}

/** Splits a path as superjson writes it: names with dots between, and `\.` and `\\` within names. */
function splitPath(path: string): string[] {
  if (path.length > MAX_PATH_LENGTH) {
    throw refused([], `meta.values must not have paths of over ${MAX_PATH_LENGTH} characters`);
  }
  const names: string[] = [];
  for (let start = 0, end = 0; end <= path.length; end++) {
    if (path[end] === "\\") end++;
    else if (end === path.length || path[end] === ".") {
      names.push(path.slice(start, end).replaceAll(/\\([\\.])/g, "$1"));
      start = end + 1;
    }
  }
  if (names.length > MAX_DEPTH) {
    throw refused([], `meta.values must not have paths deeper than ${MAX_DEPTH}`);
  }
  return names;
}

function isTime(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function describeType(type: unknown): string {
  const [name]: unknown[] = Array.isArray(type) ? type : [type];
  return typeof name === "string" && /^[\w-]{1,20}$/.test(name) ? name : "such a type";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(place: readonly PropertyKey[], message: string): ParleyError {
  return invalidRequest("body", [{ path: formatPath(place), message }]);
}
