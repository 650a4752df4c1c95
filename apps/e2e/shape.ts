import { expect } from "vitest";

/**
 * What a value must be: a kind by its name (`?` at the end: or null), a list of one shape, one of
 * several shapes told apart by a member, or an object with exactly these members; the name of a
 * member that may be missing ends in `?`.
 */
export type Shape =
  | string
  | readonly [Shape]
  | { readonly oneOf: (value: Record<string, unknown>) => Shape }
  | { readonly [name: string]: Shape };

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

const kinds: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  int: (value) => Number.isSafeInteger(value),
  ms: (value) => Number.isSafeInteger(value) && Math.abs(Number(value) - Date.now()) < 3_600_000,
  number: (value) => typeof value === "number",
  bool: (value) => typeof value === "boolean",
  false: (value) => value === false,
  url: (value) => typeof value === "string" && URL.canParse(value),
  iso: (value) => typeof value === "string" && isoTime.test(value),
  null: (value) => value === null,
  empty: (value) => Array.isArray(value) && value.length === 0,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  any: () => true,
};

/** Expects a value to have a shape, key by key. */
export function expectShape(value: unknown, shape: Shape, path = "answer"): void {
  if (typeof shape === "string") return expectKind(value, shape, path);
  if (isList(shape)) {
    expect(Array.isArray(value), `${path} is a list`).toBe(true);
    for (const [index, one] of (value as unknown[]).entries()) {
      expectShape(one, shape[0], `${path}[${index}]`);
    }
    return;
  }
  expectKind(value, "object", path);
  const object = value as Record<string, unknown>;
  if (typeof shape["oneOf"] === "function") {
    return expectShape(value, shape["oneOf"](object), path);
  }
  const members = new Map(Object.entries(shape).map(([name, of]) => [name.replace(/\?$/, ""), of]));
  const required = Object.keys(shape).filter((name) => !name.endsWith("?"));
  expect(Object.keys(object).toSorted(), `members of ${path}`).toEqual(
    [...members.keys()].filter((name) => required.includes(name) || name in object).toSorted(),
  );
  for (const [name, member] of Object.entries(object)) {
    expectShape(member, members.get(name) ?? "any", `${path}.${name}`);
  }
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/** A kind is a name, a literal such as `=api`, or an enumeration such as `a|b`. */
function expectKind(value: unknown, kind: string, path: string): void {
  if (kind.endsWith("?") && value === null) return;
  const name = kind.replace(/\?$/, "");
  const known = kinds[name];
  const allowed = name.replace(/^=/, "").split("|");
  const right = known ? known(value) : typeof value === "string" && allowed.includes(value);
  expect(right, `${path} is ${kind}, not ${JSON.stringify(value)}`).toBe(true);
}
