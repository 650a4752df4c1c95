import {
  type AuditedMutation,
  actorOf,
  type RefusedMutations,
  type RequestContext,
} from "@parley/core";
import { HttpInput, toStorable } from "@parley/schema";
import { toParleyError, toTrpcError } from "./errors.ts";

/** The origin of a request in the audit log. */
export interface RequestOrigin {
  readonly requestId: string;
  /** IP address that the request came from. */
  readonly clientIp: string;
}

/** Where refused mutations are recorded. */
export interface Recording extends Pick<RequestContext, "caller"> {
  readonly refusedMutations: Pick<RefusedMutations, "record">;
}

/** Bound on an id in a record, as of a `Reference`: only invalid ids are cut. */
const MAX_ID_LENGTH = 255;

/**
 * Opens the audited mutation of a call, which core records in its transaction. The input need not be valid
 * yet.
 */
export function openMutation(
  { subject }: { readonly subject: readonly string[] },
  {
    context,
    name,
    input,
  }: { context: RequestContext & RequestOrigin; name: string; input: unknown },
): AuditedMutation {
  const given = input instanceof HttpInput ? flatten(input) : input;
  // The first is an id; further ones may be a number in it, or what was decided.
  const ids = subject.map((member, index) => (index === 0 ? idIn : wordIn)(given, member));
  const subjectId =
    ids.length > 0 && ids.every((id) => id !== undefined) ? ids.join("/") : undefined;
  return describeMutation(context, { name, input: given, subjectId });
}

/** The members of an HTTP input, which need not be valid. Path parameters override the others. */
function flatten({ query, body, params }: HttpInput): object {
  const parts = [query, body, params] as (object | null | undefined)[];
  return Object.assign({}, ...parts) as object;
}

/** Opens the audited mutation of a form, in the caller's workspace. */
export function openFormMutation(
  context: RequestContext & RequestOrigin,
  name: string,
): AuditedMutation {
  return describeMutation(context, { name, input: undefined, subjectId: undefined });
}

function describeMutation(
  { caller, clientIp, requestId }: RequestContext & RequestOrigin,
  { name, input, subjectId }: { name: string; input: unknown; subjectId: string | undefined },
): AuditedMutation {
  return {
    action: name,
    actor: actorOf(caller),
    // A workspace's key always changes its own workspace.
    workspaceId: caller.kind === "workspace" ? caller.workspace.sid : idIn(input, "wId"),
    subjectId,
    clientIp,
    requestId,
    recorded: false,
  };
}

function idIn(input: unknown, member: string): string | undefined {
  const value = (input as Record<string, unknown> | null | undefined)?.[member];
  return typeof value === "string" ? toStorable(value.slice(0, MAX_ID_LENGTH)) : undefined;
}

function wordIn(input: unknown, member: string): string | undefined {
  const value = (input as Record<string, unknown> | null | undefined)?.[member];
  const isWord = typeof value === "boolean" || Number.isSafeInteger(value);
  return isWord ? String(value) : idIn(input, member);
}

/**
 * Runs an audited mutation and ensures its record; a mutation whose `work` throws is recorded as refused.
 * Throws if `work` used no transaction that could hold the record.
 */
export async function recordMutation<T>(
  context: Recording,
  mutation: AuditedMutation,
  work: () => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await recordRefusal(context, mutation, error);
    throw error;
  }
  if (!mutation.recorded) throw new Error(`${mutation.action} was done outside a transaction`);
  return result;
}

async function recordRefusal(
  { caller, refusedMutations }: Recording,
  mutation: AuditedMutation,
  error: unknown,
): Promise<void> {
  const { type } = toParleyError(error);
  // Nothing can be written now; an earlier commit has its record.
  if (type === "service_unavailable") return;
  try {
    await refusedMutations.record({ caller, mutation, outcome: type });
  } catch (cause) {
    throw toTrpcError(cause);
  }
}
