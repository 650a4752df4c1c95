import type { InvocationEvent } from "@parley/schema";
import type { Process, RequestContext, RunOrigin } from "../context.ts";
import type { InvocationRow } from "../data-access/rows.ts";
import type { CheckedInput } from "../functions/check-values.ts";
import type { InvocableFunction } from "../functions/sandbox-functions.ts";
import { MAX_DEATHS } from "../runs/deaths.ts";
import type { RunHolder } from "../runs/local-workers.ts";
import { errorEvent, renderInvocation } from "./read-invocations.ts";

/** The parts of a new invocation. */
export interface InvocationRequest {
  readonly sandboxFunction: InvocableFunction;
  readonly workspaceId: number;
  /** The key that invokes, and the user if not the key's own; null if an agent does. */
  readonly apiKeyId: number | null;
  readonly ownerId: number | null;
  /** The tool call that invokes; null if a key does. */
  readonly actionId: number | null;
  readonly input: CheckedInput;
  readonly timezone: string | null;
  /** The span of the call that invokes. */
  readonly within?: SpanPlace | undefined;
}

/** A span of a run in which another run is created. */
export interface SpanPlace {
  readonly logId: string;
  readonly spanId: string;
}

/** An invocation that is not written yet. */
export interface NewInvocation {
  readonly row: Omit<InvocationRow, "id">;
  /** The events of its log. */
  readonly events: readonly InvocationEvent[];
  readonly maxAttempts: number;
  readonly origin: RunOrigin | undefined;
  /** The span in which it is created: its trace is that of the span's run, if nothing else is named. */
  readonly within?: SpanPlace | undefined;
  /** The worker that holds the run if it has room; without one, any worker may claim it. */
  readonly holder?: RunHolder | undefined;
}

/** Builds an invocation and its log: input that the function's schema refuses ends it at once. */
export function buildInvocation(
  core: Process & Pick<RequestContext, "origin">,
  request: InvocationRequest,
): NewInvocation {
  const { sandboxFunction, workspaceId, apiKeyId, ownerId, actionId, input, timezone } = request;
  const { within } = request;
  const { definition } = sandboxFunction;
  // Who approves a call is not where it comes from.
  const origin = within === undefined ? core.origin : undefined;
  const createdAt = core.now();
  const { error } = input;
  const row = {
    sid: core.newId("sfi"),
    workspaceId,
    functionId: sandboxFunction.id,
    functionVersion: definition.version,
    apiKeyId,
    ownerId,
    actionId,
    status: "created" as const,
    input: input.json,
    timezone,
    result: null,
    error: null,
    createdAt,
    finishedAt: null,
  };
  const started = {
    type: "sandbox_function_invocation_created" as const,
    created: createdAt,
    invocation: renderInvocation(row, sandboxFunction.sid),
  };
  const maxAttempts = definition.retryable ? MAX_DEATHS : 1;
  if (error === undefined) return { row, events: [started], maxAttempts, origin, within };
  const { sid } = row;
  const refused = errorEvent({ sid, functionSid: sandboxFunction.sid }, createdAt, error);
  const ended = { ...row, status: "errored" as const, error, finishedAt: createdAt };
  return { row: ended, events: [started, refused], maxAttempts, origin, within };
}
