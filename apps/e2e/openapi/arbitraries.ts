import fc from "fast-check";
import type { Contract, Json, Operation } from "./contract.ts";
import { fillPath, type Values } from "./requests.ts";

/** A request that was drawn: whether its body is one that the document takes is not said. */
export interface Drawn {
  readonly operation: Operation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const wrong: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  "\u0000",
  "\uD800",
  "x".repeat(3000),
  [],
  [[]],
  {},
  { constructor: 1 },
];

/** Values that a schema of the document describes; ids are now and then ones that are known. */
function valuesOf(
  schema: Json,
  contract: Contract,
  known: readonly string[],
): fc.Arbitrary<unknown> {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    return valuesOf(contract.resolve(reference), contract, known);
  }
  const of = (one: Json) => valuesOf(one, contract, known);
  const options = (schema["anyOf"] ?? schema["oneOf"]) as Json[] | undefined;
  if (options !== undefined) return fc.oneof(...options.map(of));
  if (schema["const"] !== undefined) return fc.constant(schema["const"]);
  const names = schema["enum"] as unknown[] | undefined;
  if (names !== undefined) return fc.constantFrom(...names);
  const types = [schema["type"] ?? []].flat() as string[];
  if (types.length > 1) return fc.oneof(...types.map((type) => of({ ...schema, type })));
  switch (types[0]) {
    case "string":
      return textOf(schema, known);
    case "integer":
    case "number": {
      const min = (schema["minimum"] as number | undefined) ?? 0;
      const max = (schema["maximum"] as number | undefined) ?? 1000;
      return fc.integer({ min, max: Math.max(min, Math.min(max, 100_000)) });
    }
    case "boolean":
      // A blocking request would wait for an answer in every other case.
      return fc.constant(false);
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(of((schema["items"] as Json | undefined) ?? {}), { maxLength: 3 });
    case "object":
      return objectsOf(schema, of);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectsOf(schema: Json, of: (one: Json) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = (schema["properties"] ?? {}) as Record<string, Json>;
  const members = Object.entries(properties).map(([name, one]) => [name, of(one)] as const);
  const requiredKeys = (schema["required"] ?? []) as string[];
  return fc.record(Object.fromEntries(members), { requiredKeys, noNullPrototype: true });
}

function textOf(schema: Json, known: readonly string[]): fc.Arbitrary<string> {
  const parts = ((schema["allOf"] ?? []) as Json[]).map((one) => one["pattern"]);
  const pattern = (schema["pattern"] ?? parts[0]) as string | undefined;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: "small" });
  const minLength = Number(schema["minLength"] ?? 0);
  return fc.oneof(
    fc.string({ minLength, maxLength: 20, unit: "grapheme" }),
    fc.constantFrom(...known),
  );
}

/** Puts something wrong in the place of one of the members of a value, at any depth. */
function mutate(value: unknown, picks: readonly number[], replacement: unknown): unknown {
  const [pick = 0, ...rest] = picks;
  if (typeof value !== "object" || value === null || rest.length === 0) return replacement;
  const entries = Object.entries(value);
  const chosen = entries[pick % (entries.length + 1)];
  if (chosen === undefined) return replacement;
  const [name, member] = chosen;
  const changed = mutate(member, rest, replacement);
  if (Array.isArray(value)) return value.with(Number(name), changed);
  return { ...value, [name]: changed };
}

/** Any parts of a path but those that a client takes out of it. */
const segments = fc
  .string({ minLength: 1, maxLength: 40, unit: "grapheme" })
  .filter((text) => text !== "." && text !== "..");

/** Requests of an operation, right ones and such that something was changed in. */
export function requestsOf(
  operation: Operation,
  contract: Contract,
  values: Values,
): fc.Arbitrary<Drawn> {
  const known = Object.values(values);
  const { parameters, requestBody } = operation;
  const paths = fc.record(
    Object.fromEntries(
      Object.keys(values).map((name) => [
        name,
        name === "wId"
          ? fc.constant(values[name] ?? "")
          : fc.oneof(
              { weight: 4, arbitrary: fc.constant(values[name] ?? "") },
              { weight: 1, arbitrary: segments },
            ),
      ]),
    ),
  );
  const queries = fc.record(
    Object.fromEntries(
      parameters
        // What is followed live may never end.
        .filter((one) => one.in === "query" && one.name !== "live")
        .map(({ name, schema }) => [
          name,
          fc.oneof(
            valuesOf(schema, contract, known),
            fc.constantFrom("", "0", "-1", "x", "\u0000"),
          ),
        ]),
    ),
    { requiredKeys: [] },
  );
  const schema = requestBody?.content["application/json"]?.schema;
  const right = schema === undefined ? fc.constant(undefined) : valuesOf(schema, contract, known);
  const picks = fc.array(fc.nat(20), { minLength: 1, maxLength: 5 });
  const changed = fc
    .tuple(right, picks, fc.constantFrom(...wrong))
    .map(([value, where, what]) => (schema === undefined ? value : mutate(value, where, what)));
  return fc
    .record({ params: paths, query: queries, body: fc.oneof(right, changed), keyed: fc.nat(50) })
    .map(({ params, query, body, keyed }) => {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) {
        for (const one of [value].flat()) search.append(name, String(one));
      }
      const path = fillPath(operation, params) + (search.size === 0 ? "" : `?${search}`);
      const isKeyed = operation.method === "POST" && keyed < 10;
      const headers = isKeyed ? { "idempotency-key": `fuzz-${keyed}` } : {};
      const drawn = { operation, path, headers, body };
      const request = { method: operation.method, path, headers, body };
      return Object.assign(drawn, { [fc.toStringMethod]: () => JSON.stringify(request) });
    });
}
