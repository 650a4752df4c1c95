import * as z from "zod";
import type { JsonEndpoint } from "../endpoint.ts";
import { formatPath } from "../errors/invalid-request.ts";
import { HttpInput } from "./parse-input.ts";
import type { Warning } from "./warnings.ts";

/** Most unknown members that a response lists. */
const MAX_NAMED = 20;
/** Longer names are cut, and get no suggestion. */
const MAX_NAME_LENGTH = 64;

/** The members of a schema, at each level. */
interface Known {
  readonly members: ReadonlyMap<string, Known | undefined>;
  readonly isList: boolean;
}

const ofEndpoints = new WeakMap<JsonEndpoint, { body: Known; flat: Known }>();

/** Whether responses of an endpoint list the unknown members of its body. */
export function warnsOfUnknown({ output }: JsonEndpoint): boolean {
  return output instanceof z.ZodObject && "warnings" in output.shape;
}

/**
 * Returns a warning for each unknown member of a valid body, at most 20, with a similar known name.
 * Over RPC, every member that is not in path or query belongs to the body.
 */
export function findUnknownMembers(endpoint: JsonEndpoint, raw: unknown): Warning[] {
  const { body, flat } = ofEndpoints.getOrInsertComputed(endpoint, knownBy);
  const found: Warning[] = [];
  if (raw instanceof HttpInput) walk(raw.body, body, [], found);
  else walk(raw, flat, [], found);
  return found;
}

function knownBy({ params, query, body }: JsonEndpoint): { body: Known; flat: Known } {
  const known = (shape: z.ZodRawShape) => ({ members: membersOf(shape), isList: false });
  const ofBody = { ...body?.shape };
  return {
    body: known(ofBody),
    flat: known({ ...ofBody, ...query?.shape, ...params.shape }),
  };
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
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return knownIn(schema.unwrap());
  }
  return undefined;
}

function walk(value: unknown, known: Known, path: PropertyKey[], found: Warning[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (!known.isList) return;
    for (const [index, element] of value.entries()) {
      if (found.length >= MAX_NAMED) return;
      walk(element, { ...known, isList: false }, [...path, index], found);
    }
    return;
  }
  if (known.isList) return;
  for (const [name, member] of Object.entries(value)) {
    if (found.length >= MAX_NAMED) return;
    if (!known.members.has(name)) found.push(warnOf(name, known, path));
    else {
      const inside = known.members.get(name);
      if (inside !== undefined) walk(member, inside, [...path, name], found);
    }
  }
}

function warnOf(name: string, known: Known, path: readonly PropertyKey[]): Warning {
  const near = nearestOf(name, known.members.keys());
  const hint = near === undefined ? "" : `: did you mean ${near}?`;
  return {
    path: formatPath([...path, name.slice(0, MAX_NAME_LENGTH).toWellFormed()]),
    message: `There is no such member, so it was ignored${hint}`,
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
    // For names of up to three letters, two changes suggest nothing.
    const distance = letters === plain ? 0 : plain.length < 4 ? 3 : distanceOf(plain, letters);
    if (distance >= least) continue;
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
