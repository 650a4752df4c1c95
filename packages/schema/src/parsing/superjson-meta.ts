// Imports nothing: clients bundle it without the schemas. superjson builds what `meta` says, wherever it says
// so; whoever reads a stranger's superjson therefore has its `meta` checked here first. What passes is what
// superjson itself writes for the kinds below, so it builds these and nothing else, in the places of `json`.

/** superjson as it is sent: a value as JSON, and in `meta` what JSON cannot say about it. */
export interface SentSuperjson {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** Throws the error of a refusal: the place in the value, and what is wrong there. */
export type RefuseMeta = (path: readonly PropertyKey[], message: string) => never;

/** Most annotated values. */
const MAX_ENTRIES = 10_000;
/** Most characters of a path. */
const MAX_PATH_LENGTH = 1000;
/** Most characters of all paths: superjson takes 35 ns for each. */
const MAX_PATH_LENGTHS = 1_000_000;
/** Deepest annotated value, as of parsed JSON. */
const MAX_DEPTH = 64;

const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a value is what superjson writes for a kind; it would pass anything to the constructor. */
const isWritten: Readonly<Record<string, (value: unknown) => boolean>> = {
  Date: isTime,
  // Longer ones take time that grows with the square of their digits.
  bigint: (value) => typeof value === "string" && /^(?:0|-?[1-9]\d{0,99})$/.test(value),
  map: (value) =>
    Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2),
  set: Array.isArray,
  undefined: (value) => value === null,
  // JSON has minus zero, but neither infinities nor NaN.
  number: (value) => value === "-0",
};

/** A member of the sent JSON. */
interface Place {
  readonly holder: object;
  readonly name: string;
  readonly path: readonly PropertyKey[];
}

interface Check {
  readonly refuse: RefuseMeta;
  readonly isLegacy: boolean;
  /** The lists that are a Map or a Set by now: superjson counts in them otherwise than in lists. */
  readonly converted: Set<unknown>;
  entries: number;
  characters: number;
}

/**
 * Checks the `meta` of superjson, in the order in which superjson applies it: only Dates, bigints, Maps, Sets, undefined
 * and minus zero, in places that there are, each where superjson writes it. Refuses all else.
 */
export function requireSafeMeta({ json, meta }: SentSuperjson, refuse: RefuseMeta): void {
  if (meta === undefined || meta === null) return;
  if (!isRecord(meta)) return refuse([], "meta must be an object, as superjson writes it");
  const { values, v = 0, referentialEqualities, ...rest } = meta;
  if (referentialEqualities !== undefined) {
    return refuse([], "meta must have no referentialEqualities: each place has its own value");
  }
  if (v !== 0 && v !== 1) return refuse([], "meta.v must be 1, or 0");
  if (Object.keys(rest).length > 0) return refuse([], "meta must have no members but values and v");
  if (values === undefined || values === null) return;
  const check: Check = {
    refuse,
    isLegacy: v === 0,
    converted: new Set(),
    entries: 0,
    characters: 0,
  };
  const root: Place = { holder: { json }, name: "json", path: [] };
  if (Array.isArray(values)) checkValue(check, root, values);
  else if (isRecord(values)) checkEntries(check, root, values);
  else refuse([], "meta.values must be an object or a list, as superjson writes it");
}

/** Checks what is said about values inside a place, by their paths from it. */
function checkEntries(check: Check, from: Place, entries: Readonly<Record<string, unknown>>): void {
  const { refuse } = check;
  for (const path in entries) {
    if (++check.entries > MAX_ENTRIES) {
      refuse([], `meta.values must name at most ${MAX_ENTRIES} values`);
    }
    if (path.length > MAX_PATH_LENGTH) {
      refuse([], `meta.values must not have paths of over ${MAX_PATH_LENGTH} characters`);
    }
    if ((check.characters += path.length) > MAX_PATH_LENGTHS) {
      refuse([], `meta.values must not have paths of over ${MAX_PATH_LENGTHS} characters together`);
    }
    const names = splitPath(path, check.isLegacy);
    if (names === undefined)
      return refuse([], "meta.values must have paths as superjson writes them");
    if (from.path.length + names.length > MAX_DEPTH) {
      refuse([], `meta.values must not have paths deeper than ${MAX_DEPTH}`);
    }
    checkValue(check, findPlace(check, from, names), entries[path]);
  }
}

function findPlace({ refuse, converted }: Check, from: Place, names: readonly string[]): Place {
  let { holder, name } = from;
  const path = [...from.path];
  for (const next of names) {
    const value = memberOf(holder, name);
    if (forbidden.has(next)) return refuse(path, `meta.values must not name ${next}`);
    if (!hasMember(value, next)) return refuse(path, "has no member that meta.values names");
    if (converted.has(value)) {
      return refuse(path, "must not be a Map or a Set before meta.values has named what is in it");
    }
    path.push(Array.isArray(value) ? Number(next) : next);
    holder = value;
    name = next;
  }
  return { holder, name, path };
}

/** Whether there is a member in the JSON; superjson takes any text for the index of a list. */
function hasMember(value: unknown, name: string): value is object {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < value.length;
  return typeof value === "object" && value !== null && Object.hasOwn(value, name);
}

/** Checks what is said about the value of a place: its kind and, in a Map or a Set, what is said about the values in it. */
function checkValue(check: Check, place: Place, note: unknown): void {
  const { refuse, converted } = check;
  const { path } = place;
  const [kind, inner, ...more]: unknown[] = Array.isArray(note) ? note : [];
  if (typeof kind !== "string" || !Object.hasOwn(isWritten, kind) || more.length > 0) {
    refuse(
      path,
      `must be JSON, a Date, bigint, Map, Set or undefined, and not ${describeKind(kind)}`,
    );
    return;
  }
  const value = memberOf(place.holder, place.name);
  if (isWritten[kind]?.(value) !== true || converted.has(value)) {
    refuse(path, `must be what superjson writes for ${kind}`);
  }
  if (inner !== undefined) {
    if (!isRecord(inner) || !Array.isArray(value)) {
      return refuse(path, `must have no values in it that meta.values names: it is a ${kind}`);
    }
    checkEntries(check, place, inner);
  }
  if (!Array.isArray(value)) return;
  if (kind === "map" && value.some((pair) => converted.has(pair))) {
    refuse(path, "must be a Map of pairs");
  }
  converted.add(value);
}

/**
 * Splits a path as superjson does: names with dots between. A backslash precedes dots in names and, but for versions that
 * send no `v`, backslashes. Returns undefined for others.
 */
function splitPath(path: string, isLegacy: boolean): string[] | undefined {
  if (!path.includes("\\")) return path.split(".");
  const names: string[] = [];
  let name = "";
  for (let index = 0; index < path.length; index++) {
    const next = path[index + 1];
    if (path[index] === ".") {
      names.push(name);
      name = "";
    } else if (path[index] !== "\\") name += path[index];
    else if (next === "." || (next === "\\" && !isLegacy)) {
      name += next;
      index++;
    } else if (isLegacy) name += "\\";
    else return undefined;
  }
  return [...names, name];
}

function isTime(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function describeKind(kind: unknown): string {
  const [name]: unknown[] = Array.isArray(kind) ? kind : [kind];
  return typeof name === "string" && /^[\w-]{1,20}$/.test(name) ? name : "such a type";
}

function memberOf(holder: object, name: string): unknown {
  return (holder as Record<string, unknown>)[name];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
