/**
 * Validation with untrusted JSON Schemas (2020-12). All of it runs in threads, because inspection of a
 * schema does not tell whether it terminates.
 */
import { formatPath, type Issue, toStorable } from "@parley/schema";
import { type Job, threadModule } from "../../untrusted/job.ts";
import type { CallOptions, Outcome, Threads } from "../../untrusted/threads.ts";
import { cutFault, type Fault } from "./explain-errors.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const url = threadModule("schema-thread", import.meta.url);
/** A schema must compile and check within half the time of a value. */
const schemaJob: Job<string, Fault | undefined> = { url, name: "checkSchema", deadlineMs: 1000 };
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

/**
 * The fault of a value, given as JSON, by a valid schema, at a path that begins with `root`; undefined for
 * a valid value. A value that cannot be checked has a fault.
 */
export async function findValueFault(
  threads: Threads,
  given: { readonly schema: JsonSchema; readonly json: string; readonly root: string },
  options: CallOptions,
): Promise<Issue | undefined> {
  const input = { schema: textOf(given.schema), json: given.json };
  return toIssue(await threads.call(valueJob, input, options), given.root);
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
