import * as z from "zod";
import type { Endpoint, JsonEndpoint } from "../endpoint.ts";
import type { Issue } from "../errors/errors.ts";
import { formatPath, invalidRequest } from "../errors/invalid-request.ts";
import type { Warning } from "./warnings.ts";

/** Most unknown members that a response lists. */
const MAX_NAMED = 20;
/** Most unknown members that are counted. */
const MAX_COUNTED = 1000;
/** Longer names are cut, and get no suggestion. */
const MAX_NAME_LENGTH = 64;

/** The members of a schema, at each level. */
interface Known {
  readonly members: ReadonlyMap<string, Known | undefined>;
  readonly isList: boolean;
}

/** `flat` is the input of the RPC. */
type Part = "query" | "body" | "flat";

const ofEndpoints = new WeakMap<Endpoint, Record<Part, Known>>();

/** Whether responses of an endpoint list the unknown members of its body. */
export function warnsOfUnknown({ output }: JsonEndpoint): boolean {
  return output instanceof z.ZodObject && "warnings" in output.shape;
}

/**
 * Returns a warning for each unknown member of a valid body, with a similar known name: for 20 at most, and
 * one for the rest.
 */
export function findUnknownMembers(endpoint: Endpoint, body: unknown): Warning[] {
  const found: Found[] = [];
  walk(body, knownOf(endpoint).body, [], found, MAX_COUNTED);
  const warnings = found.slice(0, MAX_NAMED).map(({ path, near }) => {
    const hint = near === undefined ? "" : `: did you mean ${near}?`;
    return { path, message: `Unknown field, ignored${hint}` };
  });
  if (found.length <= MAX_NAMED) return warnings;
  const more = `${found.length - MAX_NAMED}${found.length < MAX_COUNTED ? "" : " or more"}`;
  const message = `Unknown fields, ignored: ${more} besides those named above`;
  return [...warnings, { path: "", message }];
}

/**
 * Throws `invalid_request_error` if a part of an input has members that the endpoint does not know, with
 * the nearest known name of each, or all if none is near.
 */
export function refuseUnknownMembers(
  endpoint: Endpoint,
  given: Readonly<Record<Part, unknown>>,
  parts: readonly Part[],
): void {
  for (const part of parts) {
    const found: Found[] = [];
    walk(given[part], knownOf(endpoint)[part], [], found);
    if (found.length === 0) continue;
    throw invalidRequest(part === "flat" ? "body" : part, found.map(issueOf));
  }
}

/** Returns an issue for each unknown member of a body whose name is near a known one that is not there. */
export function findMisspelt(endpoint: Endpoint, body: unknown): Issue[] {
  const found: Found[] = [];
  walk(body, knownOf(endpoint).body, [], found);
  return found.filter(({ near }) => near !== undefined).map(issueOf);
}

/**
 * Returns an issue for each member of a value that an object's schema does not know, at most 20, as a refusal has it.
 */
export function findUnknownIn(schema: z.ZodObject, value: unknown): Issue[] {
  const found: Found[] = [];
  walk(value, { members: membersOf(schema.shape), isList: false }, [], found);
  return found.map(issueOf);
}

function issueOf({ path, near, known }: Found): Issue {
  const hint = near === undefined ? describeMembers(known) : `: did you mean ${near}?`;
  return { path, message: `unknown field${hint}` };
}

function describeMembers({ members }: Known): string {
  return members.size === 0 ? "" : `; there are ${[...members.keys()].join(", ")}`;
}

function knownOf(endpoint: Endpoint): Record<Part, Known> {
  return ofEndpoints.getOrInsertComputed(endpoint, ({ kind, params, query, body }) => {
    const known = (shape: z.ZodRawShape) => ({ members: membersOf(shape), isList: false });
    // Subscribers of streams may say where they are.
    const position: z.ZodRawShape = kind === "stream" ? { lastEventId: z.string() } : {};
    return {
      query: known({ ...query?.shape }),
      body: known({ ...body?.shape }),
      flat: known({ ...params.shape, ...query?.shape, ...body?.shape, ...position }),
    };
  });
}

function membersOf(shape: z.ZodRawShape): Known["members"] {
  return new Map(Object.entries(shape).map(([name, schema]) => [name, knownIn(schema)]));
}

function knownIn(schema: z.core.$ZodType): Known | undefined {
  if (schema instanceof z.ZodObject) return { members: membersOf(schema.shape), isList: false };
  if (schema instanceof z.ZodArray) {
    const known = knownIn(schema.element);
    return known && { ...known, isList: true };
  }
  if (schema instanceof z.ZodPipe) return knownIn(schema.in);
  if (schema instanceof z.ZodUnion) return knownInAny(schema.options.map(knownIn));
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return knownIn(schema.unwrap());
  }
  return undefined;
}

/** What any of several schemas knows; undefined if one of them may have any members. */
function knownInAny(options: readonly (Known | undefined)[]): Known | undefined {
  const objects = options.filter((one) => one !== undefined && !one.isList);
  if (objects.length < options.length) return undefined;
  const members = new Map<string, Known | undefined>();
  for (const [name, inside] of objects.flatMap((one) => [...(one?.members ?? [])])) {
    members.set(name, members.has(name) ? knownInAny([members.get(name), inside]) : inside);
  }
  return { members, isList: false };
}

interface Found {
  readonly path: string;
  /** A similar known name. */
  readonly near: string | undefined;
  readonly known: Known;
}

function walk(
  value: unknown,
  known: Known,
  path: PropertyKey[],
  found: Found[],
  most = MAX_NAMED,
): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (!known.isList) return;
    for (const [index, element] of value.entries()) {
      if (found.length >= most) return;
      walk(element, { ...known, isList: false }, [...path, index], found, most);
    }
    return;
  }
  if (known.isList) return;
  // Not by entries: 90,000 of them took 90 ms.
  for (const name in value) {
    if (found.length >= most) return;
    if (!known.members.has(name)) {
      const isNamed = found.length < MAX_NAMED;
      found.push(
        isNamed ? describeUnknown(name, known, path) : { path: "", near: undefined, known },
      );
      continue;
    }
    const inside = known.members.get(name);
    const member = (value as Record<string, unknown>)[name];
    if (inside !== undefined) walk(member, inside, [...path, name], found, most);
  }
}

function describeUnknown(name: string, known: Known, path: readonly PropertyKey[]): Found {
  return {
    path: formatPath([...path, name.slice(0, MAX_NAME_LENGTH).toWellFormed()]),
    near: nearestOf(name, known.members.keys()),
    known,
  };
}

/** The known name that differs only in case and punctuation, or in at most two letters. */
function nearestOf(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const plain = lettersOf(name);
  let nearest: string | undefined;
  let least = 3;
  for (const one of names) {
    const letters = lettersOf(one);
    const distance = letters === plain ? 0 : distanceOf(plain, letters);
    // Changes of half of the letters suggest nothing.
    if (distance >= least || distance * 2 >= plain.length) continue;
    nearest = one;
    least = distance;
  }
  return nearest;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Levenshtein distance; exact up to 2. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
