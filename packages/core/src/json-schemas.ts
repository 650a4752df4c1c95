/**
 * JSON Schemas (2020-12) that strangers write, and what is checked with them. A schema is compiled
 * on its own, so that it sees no other; patterns are matched in linear time; and whatever could take
 * long runs within a time: a few references are enough for a schema that takes for ever.
 */
import { formatPath, type Issue } from "@parley/schema";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { runBounded } from "./bounded-work.ts";
import { explainFault } from "./schema-faults.ts";
import { walkSchema } from "./schema-walk.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
/** How long compiling a schema may take, and checking a value. */
const COMPILE_MS = 2000;
const CHECK_MS = 500;
/** How long a schema that took too long to compile is not compiled again. */
const RETRY_MS = 60_000;
/** Up to this product of their lengths, a value is checked without a watch over the time. */
const UNWATCHED_COST = 1_000_000;
/** Characters of the schemas that stay compiled. */
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024;

/** Without these, each schema in a schema is checked against each value in a value once at most. */
const costlyKeywords: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "uniqueItems"]);

interface CompiledSchema {
  /** None where compiling it took too long. */
  readonly validate: ValidateFunction | undefined;
  /** Whether a check may cost more than the product of the lengths of schema and value. */
  readonly costly: boolean;
  readonly length: number;
  /** Length from which on values are refused unchecked: half of one that took too long. */
  refusedLength: number;
}

const compiled = new LRUCache<string, CompiledSchema>({
  maxSize: MAX_KEPT_CHARACTERS,
  sizeCalculation: ({ length }) => length + 1024,
});

// The pattern stands for the compiled one where ajv looks for one that it has already.
const matchLinearly = Object.assign(
  (pattern: string) => {
    const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text: string) => expression.matcher(text).find(), toString: () => pattern };
  },
  { code: "matchLinearly" },
);

const options = {
  // Formats are annotations, and so are keywords that nobody knows.
  strict: false,
  validateFormats: false,
  // `toString` is no member of an object that has not got one.
  ownProperties: true,
  // Inlined, a large definition would be compiled as often as it is referred to.
  inlineRefs: false,
  logger: false,
  code: { regExp: matchLinearly },
} as const;

let meta: Ajv2020 | undefined;

/** What is wrong with a schema, at a path that begins with `root`; undefined where it can be used. */
export function findSchemaFault(schema: JsonSchema, root: string): Issue | undefined {
  const at = (path: readonly PropertyKey[], message: string) => ({
    path: formatPath(path),
    message,
  });
  for (const { name, value, path } of walkSchema(schema, [root])) {
    if (name === "$async") return at(path, "must not be there");
    if (name === "$schema" && value !== DIALECT && value !== `${DIALECT}#`) {
      return at(path, `must be ${DIALECT}`);
    }
    const patterns = name === "patternProperties" ? Object.keys(value ?? {}) : [value];
    if (name !== "pattern" && name !== "patternProperties") continue;
    const fault = patterns.map(findPatternFault).find((one) => one !== undefined);
    if (fault !== undefined) return at(path, fault);
  }
  const dialect = (meta ??= openMeta());
  try {
    const done = runBounded(CHECK_MS, () => dialect.validateSchema(schema));
    if (done === undefined) return at([root], "must be simpler: it takes too long to read");
    if (done.value !== true) return explainFault(dialect.errors ?? [], root);
    const ready = compile(schema);
    for (const value of [null, {}, [], "", 0]) {
      const fault = check(ready, value);
      if (fault === TOO_DEEP) return at([root], "must not refer to itself without end");
      if (fault === TOO_SLOW) return at([root], "must be simpler: it takes too long to check");
    }
  } catch (error) {
    return at([root], `must be a JSON Schema: ${(error as Error).message.slice(0, 500)}`);
  }
  return undefined;
}

/** Compiles the schema of schemas, once and without a watch over the time. */
function openMeta(): Ajv2020 {
  const opened = new Ajv2020(options);
  opened.getSchema(DIALECT);
  return opened;
}

function findPatternFault(pattern: unknown): string | undefined {
  // What is no text is found by the schema of schemas.
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

/**
 * What is wrong with a value by a schema that was found faultless, at a path that begins with `root`;
 * undefined where nothing is. Never throws: what cannot be checked is wrong.
 */
export function findValueFault(
  schema: JsonSchema,
  value: unknown,
  root: string,
): Issue | undefined {
  let ready: CompiledSchema;
  try {
    ready = compile(schema);
  } catch {
    return { path: root, message: "cannot be checked: the schema is not valid" };
  }
  const slow = { path: root, message: "must be simpler: checking it takes too long" };
  const faults = check(ready, value);
  if (faults === undefined) return undefined;
  if (faults === TOO_SLOW) return slow;
  if (faults === TOO_DEEP) return { path: root, message: "must not be nested so deeply" };
  return explainFault(faults, root);
}

function check(
  ready: CompiledSchema,
  value: unknown,
): readonly ErrorObject[] | typeof TOO_DEEP | typeof TOO_SLOW | undefined {
  const { validate } = ready;
  if (validate === undefined) return TOO_SLOW;
  try {
    const { length } = JSON.stringify(value);
    if (length >= ready.refusedLength) return TOO_SLOW;
    const watched = ready.costly || length * ready.length > UNWATCHED_COST;
    const done = watched ? runBounded(CHECK_MS, () => validate(value)) : { value: validate(value) };
    if (done === undefined) {
      ready.refusedLength = length / 2;
      return TOO_SLOW;
    }
    return done.value ? undefined : (validate.errors ?? []);
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  } finally {
    validate.errors = null;
  }
}

/** The compiled form of a schema. Throws where it cannot be compiled. */
function compile(schema: JsonSchema): CompiledSchema {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const done = runBounded(COMPILE_MS, () =>
    new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(schema),
  );
  const costly = walkSchema(schema, []).some(({ name }) => costlyKeywords.has(name));
  const ready = {
    validate: done?.value,
    costly,
    length: key.length,
    refusedLength: Infinity,
  };
  // What is too slow now may be in time when the machine has less to do.
  compiled.set(key, ready, done === undefined ? { ttl: RETRY_MS } : undefined);
  return ready;
}
