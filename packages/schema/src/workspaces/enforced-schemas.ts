// Which keyword of a schema a service does not enforce itself, by the table of `enforcing-services.ts`.

import {
  always,
  closing,
  enforcingService,
  type EnforcingService,
  type Pair,
} from "./enforcing-services.ts";

/** How the services of models enforce a schema. */
export interface Enforcement {
  readonly enforced: "always" | "without tools" | "never";
  /** Whether the model must be told the schema also then. */
  readonly isDescribed: boolean;
}

/** How all of these models' services enforce a schema themselves. */
export function enforcementOf(pairs: readonly Pair[], schema: Schema): Enforcement {
  const rows = pairs.map((pair) =>
    findUnenforced(pair, schema) === undefined ? enforcingService(pair) : undefined,
  );
  const isDescribed = rows.some((row) => row?.isDescribed === true);
  if (rows.includes(undefined)) return { enforced: "never", isDescribed };
  const withTools = rows.every((row) => row?.withTools === true);
  return { enforced: withTools ? "always" : "without tools", isDescribed };
}

type Schema = Readonly<Record<string, unknown>>;

/** A keyword of a schema that is not enforced, where it stands, and why. */
export interface UnenforcedKeyword {
  readonly path: readonly PropertyKey[];
  readonly keyword: string;
  readonly reason: string;
}

/** Keywords whose members are schemas. */
const maps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
/** What may stand beside a reference, which some services then do not follow. */
const besideReference = /^(?:\$|definitions$)/;
const LOCAL = /^#\/(?:\$defs|definitions)\/([^/]+)$/;

/**
 * The first keyword of a schema that the service of a model does not enforce itself; undefined if it enforces the
 * whole schema. The schema is one that core has checked.
 */
export function findUnenforced(pair: Pair, schema: Schema): UnenforcedKeyword | undefined {
  const service = enforcingService(pair);
  if (service === undefined) {
    const [keyword = "type"] = Object.keys(schema).filter((name) => name !== "$schema");
    return { path: [keyword], keyword, reason: "is not enforced: the service enforces no schema" };
  }
  if (schema["type"] !== "object") return fault([], "type", 'must be "object" at the top');
  const taken = new Set([...always, ...service.keywords]);
  const walk: Walk = { service, taken, root: schema, optional: 0, enumValues: 0, nesting: 0 };
  return (
    findInSchema(walk, withoutDialect(schema), []) ??
    (service.isRecursive ? undefined : findCycle(schema))
  );
}

interface Walk {
  readonly service: EnforcingService;
  readonly taken: ReadonlySet<string>;
  readonly root: Schema;
  /** Properties that are not required, and values of `enum`s, so far. */
  optional: number;
  enumValues: number;
  /** Objects that the schema is within. */
  nesting: number;
}

const fault = (path: readonly PropertyKey[], keyword: string, reason: string) => {
  return { path: [...path, keyword], keyword, reason };
};

function withoutDialect({ $schema: _dialect, ...schema }: Schema): Schema {
  return schema;
}

function findInSchema(
  walk: Walk,
  schema: unknown,
  path: readonly PropertyKey[],
): UnenforcedKeyword | undefined {
  if (!isObject(schema)) {
    const [keyword = ""] = path.slice(-1).map(String);
    return { path, keyword, reason: "must be a schema, not a boolean or a list" };
  }
  const names = Object.keys(schema);
  const unknown = names.find((name) => !walk.taken.has(name));
  if (unknown !== undefined) return fault(path, unknown, "is not enforced");
  if ("$ref" in schema) {
    const beside = names.find((name) => !besideReference.test(name));
    if (beside !== undefined) return fault(path, beside, "is not enforced beside $ref");
    if (!LOCAL.test(String(schema["$ref"]))) {
      return fault(path, "$ref", "must refer to a member of $defs at the top");
    }
  } else if (!["type", "anyOf", "enum", "const"].some((name) => name in schema)) {
    return fault(path, "type", "must be given");
  }
  return findInKeywords(walk, schema, path) ?? findInMembers(walk, schema, path);
}

function findInKeywords(
  walk: Walk,
  schema: Schema,
  path: readonly PropertyKey[],
): UnenforcedKeyword | undefined {
  const { service } = walk;
  const { enum: values, format, properties, required, additionalProperties } = schema;
  if (format !== undefined && !service.formats.includes(String(format))) {
    return fault(path, "format", `is not enforced with the value ${JSON.stringify(format)}`);
  }
  if (
    Array.isArray(values) &&
    values.some((value) => typeof value === "object" && value !== null)
  ) {
    return fault(path, "enum", "is enforced for texts, numbers, booleans and null only");
  }
  if (Array.isArray(values)) {
    walk.enumValues += values.length;
    const tooMany = findTooMany(values, walk);
    if (tooMany !== undefined) return fault(path, "enum", tooMany);
  }
  if (typeof schema["const"] === "object" && schema["const"] !== null) {
    return fault(path, "const", "is enforced for texts, numbers, booleans and null only");
  }
  const types = [schema["type"]].flat();
  if (!types.includes("object") && properties === undefined) return undefined;
  if (walk.nesting >= (service.maxNesting ?? Infinity)) {
    return fault(path, "properties", `must be within at most ${service.maxNesting} objects`);
  }
  if (service.closesObjects && additionalProperties !== false) {
    return fault(path, closing, "must be false");
  }
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean") {
    return fault(path, closing, "is enforced as true or false only");
  }
  const names = isObject(properties) ? Object.keys(properties) : [];
  const named = new Set(Array.isArray(required) ? required : []);
  const optional = names.filter((name) => !named.has(name));
  walk.optional += optional.length;
  if (service.requiresAll && optional.length > 0) {
    return fault(path, "required", `must name each property, also ${JSON.stringify(optional[0])}`);
  }
  if (walk.optional > (service.maxOptional ?? Infinity)) {
    return fault(path, "required", `must leave out at most ${service.maxOptional} properties`);
  }
  return undefined;
}

/** Why the values of a list are too many, with those of the lists before it. */
function findTooMany(values: readonly unknown[], walk: Walk): string | undefined {
  const { enums } = walk.service;
  if (enums === undefined) return undefined;
  if (walk.enumValues > enums.maxValues) {
    return `must have at most ${enums.maxValues} values, with all others of the schema`;
  }
  const characters = values.join("").length;
  if (values.length <= enums.long || characters <= enums.maxLong) return undefined;
  return `must have at most ${enums.maxLong} characters if it has over ${enums.long} values`;
}

function findInMembers(
  walk: Walk,
  schema: Schema,
  path: readonly PropertyKey[],
): UnenforcedKeyword | undefined {
  for (const [name, value] of Object.entries(schema)) {
    const at = [...path, name];
    walk.nesting += name === "properties" ? 1 : 0;
    if (maps.has(name) || name === "anyOf") {
      for (const [member, one] of Object.entries(value as object)) {
        const place = name === "anyOf" ? Number(member) : member;
        const found = findInSchema(walk, one, [...at, place]);
        if (found !== undefined) return found;
      }
    } else if (name === "items") {
      const found = findInSchema(walk, value, at);
      if (found !== undefined) return found;
    }
    walk.nesting -= name === "properties" ? 1 : 0;
  }
  return undefined;
}

/** A definition that refers to itself, also through others. */
function findCycle(root: Schema): UnenforcedKeyword | undefined {
  const finished = new Set<string>();
  const open = new Set<string>();
  const visit = (value: unknown, path: readonly PropertyKey[]): UnenforcedKeyword | undefined => {
    if (typeof value !== "object" || value === null) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, Array.isArray(value) ? Number(name) : name];
      const [, target] = name === "$ref" ? (LOCAL.exec(String(member)) ?? []) : [];
      const found = target === undefined ? visit(member, at) : follow(target, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const follow = (target: string, at: readonly PropertyKey[]): UnenforcedKeyword | undefined => {
    if (open.has(target)) return { path: at, keyword: "$ref", reason: "must not lead to itself" };
    if (finished.has(target)) return undefined;
    open.add(target);
    for (const holder of ["$defs", "definitions"]) {
      const definition = isObject(root[holder]) ? root[holder][target] : undefined;
      const found = visit(definition, [holder, target]);
      if (found !== undefined) return found;
    }
    open.delete(target);
    finished.add(target);
    return undefined;
  };
  const { $defs: _defs, definitions: _definitions, ...rest } = root;
  return visit(rest, []);
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
