// Runs in a thread with a deadline (see untrusted/thread.ts), because a schema may not terminate: forty
// definitions that each refer twice to the next are 2^40 calls for any value. Each schema is compiled
// separately, so that it sees no other, and patterns are matched in linear time.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { defaultDialect, type DialectName, dialectNamed } from "./dialects.ts";
import { cutFault, explainFault, type Fault } from "./explain-errors.ts";

/** Keywords whose members are schemas under names that the author chooses. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
]);
/** Keywords that hold data, not schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** A keyword of a schema or of a nested one, with its path. */
interface Keyword {
  readonly name: string;
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/** All keywords of a JSON Schema and of nested ones, outer schemas first. */
function* walkSchema(schema: unknown, path: readonly PropertyKey[]): Generator<Keyword> {
  if (typeof schema !== "object" || schema === null) return;
  if (Array.isArray(schema)) {
    for (const [index, one] of schema.entries()) yield* walkSchema(one, [...path, index]);
    return;
  }
  for (const [name, value] of Object.entries(schema)) {
    const at = [...path, name];
    yield { name, value, path: at };
    if (data.has(name)) continue;
    if (!maps.has(name) || typeof value !== "object" || value === null)
      yield* walkSchema(value, at);
    else {
      for (const [member, one] of Object.entries(value)) yield* walkSchema(one, [...at, member]);
    }
  }
}

interface Dialect {
  /** The id of its metaschema, as ajv has it. */
  readonly metaschema: string;
  readonly create: (options: Options) => Ajv;
}

const dialects: Readonly<Record<DialectName, Dialect>> = {
  "2020-12": {
    metaschema: "https://json-schema.org/draft/2020-12/schema",
    create: (more) => new Ajv2020(more),
  },
  "2019-09": {
    metaschema: "https://json-schema.org/draft/2019-09/schema",
    create: (more) => new Ajv2019(more),
  },
  "draft-07": {
    metaschema: "http://json-schema.org/draft-07/schema",
    // In draft 7, what stands beside a reference has no meaning.
    create: (more) => new Ajv({ ...more, ignoreKeywordsWithRef: true }),
  },
};

/** Characters of the schemas that a thread caches compiled. */
const MAX_CACHED_CHARACTERS = 1024 * 1024;

const compiled = new LRUCache<string, ValidateFunction>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (_validate, schema) => schema.length + 1024,
});

// ajv uses the text of a compiled pattern to find duplicates.
const matchLinearly = Object.assign(
  (pattern: string) => {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text: string) => expression.matcher(text).find(), toString: () => pattern };
  },
  { code: "matchLinearly" },
);

const options = {
  // Formats and unknown keywords are annotations.
  strict: false,
  validateFormats: false,
  // Inherited members, as `toString`, do not count.
  ownProperties: true,
  // Inlining would compile a large definition once per reference.
  inlineRefs: false,
  logger: false,
  code: { regExp: matchLinearly },
} as const;

const metas = new Map<Dialect, Ajv>();

/** The fault of a schema, given as JSON; undefined for a usable schema. */
export function checkSchema(schema: string): Fault | undefined {
  const parsed = JSON.parse(schema) as object;
  const dialect = dialectOf(parsed);
  for (const { name, value, path } of walkSchema(parsed, [])) {
    if (name === "$async") return { path, message: "is not allowed" };
    if (
      name === "$schema" &&
      (dialect === undefined || dialectOf({ $schema: value }) !== dialect)
    ) {
      const message =
        path.length === 1 ? unknownDialect(value) : "must be the dialect of the whole schema";
      return { path, message };
    }
    const patterns = name === "patternProperties" ? Object.keys(value ?? {}) : [value];
    if (name !== "pattern" && name !== "patternProperties") continue;
    const message = patterns.map(findPatternFault).find((one) => one !== undefined);
    if (message !== undefined) return { path, message };
  }
  if (dialect === undefined) return { path: [], message: "must name a dialect" };
  const meta = metas.get(dialect) ?? dialect.create(options);
  metas.set(dialect, meta);
  try {
    if (!meta.validate(dialect.metaschema, parsed)) return explainFault(meta.errors ?? []);
    const validate = compile(schema);
    for (const value of [null, {}, [], "", 0]) {
      if (check(validate, value) === TOO_DEEP) {
        return { path: [], message: "must not refer to itself endlessly" };
      }
    }
  } catch (error) {
    return {
      path: [],
      message: `must be a JSON Schema: ${(error as Error).message.slice(0, 500)}`,
    };
  }
  return undefined;
}

/** The first fault of schemas, each given as JSON; its path begins with the index of the schema. */
export function checkSchemas(schemas: readonly string[]): Fault | undefined {
  for (const [index, schema] of schemas.entries()) {
    const fault = checkSchema(schema);
    if (fault !== undefined) return { ...fault, path: [index, ...fault.path] };
  }
  return undefined;
}

/** The fault of a value by a valid schema, both as JSON. */
export function checkValue({ schema, json }: { schema: string; json: string }): Fault | undefined {
  let validate: ValidateFunction;
  try {
    validate = compile(schema);
  } catch {
    return { path: [], message: "cannot be checked: the schema is not valid" };
  }
  const faults = check(validate, JSON.parse(json));
  if (faults === TOO_DEEP) return { path: [], message: "is nested too deeply" };
  if (faults === TOO_SLOW)
    return { path: [], message: "must be simpler: checking it takes too long" };
  return faults === undefined ? undefined : explainFault(faults);
}

/** The dialect of a whole schema; undefined for one that is not known. */
function dialectOf(schema: object): Dialect | undefined {
  const name = "$schema" in schema ? dialectNamed(schema.$schema) : defaultDialect;
  return name && dialects[name];
}

function unknownDialect(named: unknown): string {
  const known = "must be JSON Schema 2020-12, 2019-09 or draft-07";
  return typeof named === "string" ? cutFault(`${known}, not ${named}`) : known;
}

function findPatternFault(pattern: unknown): string | undefined {
  // The metaschema refuses patterns that are not texts.
  if (typeof pattern !== "string") return undefined;
  try {
    matchLinearly(pattern);
    return undefined;
  } catch (error) {
    const why = (error as Error).message.slice(0, 200);
    return `must be a regular expression of RE2, which has no lookaround and no references: ${why}`;
  }
}

const TOO_DEEP = "too deep";
const TOO_SLOW = "too slow";
/** How long a check may take; the deadline is for checks that do not end. */
const CHECK_MS = 500;

function check(
  validate: ValidateFunction,
  value: unknown,
): readonly ErrorObject[] | typeof TOO_DEEP | typeof TOO_SLOW | undefined {
  const startedAt = performance.now();
  try {
    const isValid = validate(value);
    if (performance.now() - startedAt > CHECK_MS) return TOO_SLOW;
    return isValid ? undefined : (validate.errors ?? []);
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  } finally {
    validate.errors = null;
  }
}

/** Compiles a schema. Throws if it is invalid. */
function compile(schema: string): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const parsed = JSON.parse(schema) as object;
  const dialect = dialectOf(parsed);
  if (dialect === undefined) throw new Error("The schema has an unknown dialect");
  // Without metaschemas, so that references lead to no other schema. Nothing is fetched.
  const ajv = dialect.create({ ...options, meta: false, validateSchema: false });
  const validate = ajv.compile(parsed);
  compiled.set(schema, validate);
  return validate;
}
