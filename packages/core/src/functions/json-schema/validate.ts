/**
 * Validation with untrusted JSON Schemas: of the dialect that `$schema` names (2020-12, 2019-09 or draft-07), or else
 * of 2020-12. It runs in threads, because inspection of a schema does not tell whether it terminates; except for
 * small values by schemas whose form alone says that they are cheap.
 */
import { formatPath, type Issue, toStorable } from "@parley/schema";
import { type Job, threadModule } from "../../untrusted/job.ts";
import type { CallOptions, Outcome, Threads } from "../../untrusted/threads.ts";
import { isCheapSchema } from "./cheap-schema.ts";
import { cutFault, type Fault } from "./explain-errors.ts";
import { interpretSchema, UNSURE } from "./interpret-schema.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const url = threadModule("schema-thread", import.meta.url);
/** A schema must compile and check within half the time of a value. */
const schemaJob: Job<string, Fault | undefined> = { url, name: "checkSchema", deadlineMs: 1000 };
const schemasJob: Job<readonly string[], Fault | undefined> = {
  url,
  name: "checkSchemas",
  deadlineMs: 2000,
};
const valueJob: Job<{ schema: string; json: string }, Fault | undefined> = {
  url,
  name: "checkValue",
  deadlineMs: 2000,
};

/** The fault of a schema, at a path that begins with `root`; undefined for a usable schema. */
export async function findSchemaFault(
  threads: Threads,
  { schema, root }: { readonly schema: JsonSchema; readonly root: string },
  options: CallOptions,
): Promise<Issue | undefined> {
  const outcome = await threads.call(schemaJob, JSON.stringify(schema), options);
  return toIssue(outcome, root);
}

/** The same for several schemas together, each with its own beginning of paths: the first fault of any. */
export async function findSchemasFault(
  threads: Threads,
  schemas: readonly { readonly schema: JsonSchema; readonly root: string }[],
  options: CallOptions,
): Promise<Issue | undefined> {
  const texts = schemas.map(({ schema }) => JSON.stringify(schema));
  const outcome = await threads.call(schemasJob, texts, options);
  const [index, ...path] = ("value" in outcome ? outcome.value?.path : undefined) ?? [0];
  const root = schemas[Number(index)]?.root ?? "";
  if ("failure" in outcome || outcome.value === undefined) return toIssue(outcome, root);
  return toIssue({ value: { ...outcome.value, path } }, root);
}

/** Characters of the JSON of values that may be checked on the event loop. */
const MAX_CHEAP_CHARACTERS = 16_384;

/** A value to be checked by a valid schema, and the beginning of the paths of its faults. */
export interface CheckedValue {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly json: string;
  readonly root: string;
}

/**
 * The fault of a value; undefined for a valid value. A value that cannot be checked has a fault. What is cheap is
 * checked at once, with the verdict and the words of a thread.
 */
export async function findValueFault(
  threads: Threads,
  given: CheckedValue,
  options: CallOptions,
): Promise<Issue | undefined> {
  const found = checkHere(given);
  if (found !== UNSURE) return toIssue({ value: found }, given.root);
  const input = { schema: textOf(given.schema), json: given.json };
  return toIssue(await threads.call(valueJob, input, options), given.root);
}

function checkHere({ schema, value, json }: CheckedValue): Fault | typeof UNSURE | undefined {
  const isCheap = json.length <= MAX_CHEAP_CHARACTERS && isCheapSchema(schema);
  return isCheap ? interpretSchema(schema, value) : UNSURE;
}

const texts = new WeakMap<JsonSchema, string>();

/** The JSON of a schema; a cached schema is serialized once. */
function textOf(schema: JsonSchema): string {
  const text = texts.get(schema) ?? JSON.stringify(schema);
  texts.set(schema, text);
  return text;
}

function toIssue(outcome: Outcome<Fault | undefined>, root: string): Issue | undefined {
  if ("failure" in outcome) {
    const why = outcome.failure === "too slow" ? "takes too long" : "takes too much memory";
    return { path: root, message: `must be simpler: checking it ${why}` };
  }
  const fault = outcome.value;
  if (fault === undefined) return undefined;
  return {
    path: toStorable(cutFault(formatPath([root, ...fault.path]))),
    message: toStorable(fault.message),
  };
}
