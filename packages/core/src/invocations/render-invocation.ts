import type {
  Invocation,
  InvocationError,
  InvocationEvent,
  InvocationOutcome,
  InvokedSandboxFunction,
} from "@parley/schema";
import type { InvocationRow } from "../data-access/rows.ts";

/** An invocation as the wire shows it. */
export function renderInvocation(
  row: Pick<InvocationRow, "sid" | "status" | "createdAt">,
  functionId: string,
): Invocation {
  const createdAt = new Date(row.createdAt).toISOString();
  return { sId: row.sid, functionId, status: row.status, createdAt };
}

/** How an invocation ended; undefined while it has not. */
export function renderOutcome(
  row: Pick<InvocationRow, "status" | "result" | "error">,
): InvocationOutcome | undefined {
  if (row.status === "created") return undefined;
  if (row.error !== null) return { status: "errored", error: row.error };
  const result: unknown = JSON.parse(row.result ?? "null");
  return { status: "succeeded", result };
}

/** The response about an invocation, with its outcome once it has one. */
export function renderInvoked(
  row: Omit<InvocationRow, "id">,
  functionId: string,
  outcome: InvocationOutcome | undefined,
): InvokedSandboxFunction {
  const invocation = renderInvocation(row, functionId);
  if (outcome === undefined) return { invocation };
  return { invocation: { ...invocation, status: outcome.status }, outcome };
}

/** The event that ends a failed invocation. */
export function errorEvent(
  { sid, functionSid }: { readonly sid: string; readonly functionSid: string },
  created: number,
  error: InvocationError,
): InvocationEvent {
  const type = "sandbox_function_invocation_error";
  return { type, created, invocationId: sid, functionId: functionSid, error };
}
