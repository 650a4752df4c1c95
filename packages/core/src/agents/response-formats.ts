import {
  findUnenforced,
  formatPath,
  invalidRequest,
  type Issue,
  type ResponseFormat,
  type StoredResponseFormat,
  toStoredFormat,
} from "@parley/schema";
import { findSchemaFault } from "../functions/json-schema/validate.ts";
import { type Threads, threadOptions, type WaitingRequest } from "../untrusted/threads.ts";

/**
 * A format of a request as it is stored. Throws `invalid_request_error` for an unusable schema, whose keyword the
 * path names. Waits for a thread: not for a transaction.
 */
export async function requireUsableFormat<Format extends ResponseFormat | null | undefined>(
  context: WaitingRequest & { readonly threads: Threads },
  format: Format,
  path = "responseFormat",
): Promise<StoredResponseFormat | Exclude<Format, ResponseFormat>> {
  // What is left of the type if it is no format.
  if (format === null || format === undefined) return format as Exclude<Format, ResponseFormat>;
  const { schema } = format;
  const given = { schema, root: `${path}.schema` };
  const fault = await findSchemaFault(context.threads, given, threadOptions(context));
  if (fault !== undefined) throw invalidRequest("body", [fault]);
  return toStoredFormat(format);
}

interface Pair {
  readonly providerId: string;
  readonly modelId: string;
}

/**
 * The first keyword of a strict format that the service of one of the models does not enforce itself, with its path
 * and the model.
 */
export function findStrictFault(
  format: StoredResponseFormat | null | undefined,
  models: readonly Pair[],
  path = "responseFormat",
): Issue | undefined {
  if (format?.strict !== true) return undefined;
  for (const model of models) {
    const found = findUnenforced(model, format.schema);
    if (found === undefined) continue;
    const { keyword, reason } = found;
    const of = `${model.modelId} of ${model.providerId}`;
    const message = `with strict, for the model ${of}: ${keyword} ${reason}; change it, or leave out strict`;
    return { path: formatPath([path, "schema", ...found.path]), message };
  }
  return undefined;
}

/** Throws `invalid_request_error` for what `findStrictFault` finds. */
export function requireEnforced(...given: Parameters<typeof findStrictFault>): void {
  const fault = findStrictFault(...given);
  if (fault !== undefined) throw invalidRequest("body", [fault]);
}
