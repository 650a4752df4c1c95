import {
  type Act,
  actorOf,
  outliveRecentStates,
  recordRefusal,
  type RequestContext,
} from "@parley/core";
import { type Endpoint, isAct, toStorable } from "@parley/schema";
import { toParleyError, toTrpcError } from "./errors.ts";

/** What a request tells of itself to the audit log. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Network address that the request came from. */
  readonly address: string;
}

/** Bound on an id in a record: that of a `Reference`, so only what is refused anyway is cut. */
const MAX_ID_LENGTH = 255;

/**
 * Opens the act that a call of the endpoint is, which core records in the transaction that does it;
 * undefined for what is no act. The input need not be valid yet.
 */
export function openAct(
  endpoint: Endpoint,
  {
    context,
    name,
    input,
  }: { context: RequestContext & RequestOrigin; name: string; input: unknown },
): Act | undefined {
  if (!isAct(endpoint)) return undefined;
  const ids = endpoint.subject.map((member) => idIn(input, member));
  const subjectId =
    ids.length > 0 && ids.every((id) => id !== undefined) ? ids.join("/") : undefined;
  return actOf(context, { name, input, subjectId });
}

/** Opens the act that an import by form is, of the caller's workspace; it says what it made. */
export function openFormAct(context: RequestContext & RequestOrigin, name: string): Act {
  return actOf(context, { name, input: undefined, subjectId: undefined });
}

function actOf(
  { caller, address, requestId }: RequestContext & RequestOrigin,
  { name, input, subjectId }: { name: string; input: unknown; subjectId: string | undefined },
): Act {
  return {
    action: name,
    actor: actorOf(caller),
    // Whatever a workspace's key names, it acts in its own workspace.
    workspaceId: caller.kind === "workspace" ? caller.workspace.sid : idIn(input, "workspaceId"),
    subjectId,
    address,
    requestId,
    recorded: false,
  };
}

function idIn(input: unknown, member: string): string | undefined {
  const value = (input as Record<string, unknown> | null | undefined)?.[member];
  return typeof value === "string" ? toStorable(value.slice(0, MAX_ID_LENGTH)) : undefined;
}

/**
 * Sees to it that an act which has ended is recorded: records that it was refused, and throws where
 * it was done without a transaction that could hold its record. An act that was done is seen by every
 * request from then on.
 */
export async function closeAct(context: RequestContext, act: Act, error?: unknown): Promise<void> {
  if (error === undefined) {
    if (!act.recorded) throw new Error(`${act.action} was done outside a transaction`);
    await outliveRecentStates();
    return;
  }
  const { type } = toParleyError(error);
  // Nothing can be written now, and what was done before has its record.
  if (type === "service_unavailable") return;
  try {
    await recordRefusal(context, act, type);
  } catch (cause) {
    throw toTrpcError(cause);
  }
}
