import type { CallOptions } from "./threads.ts";

/** Operators share a queue of their own. */
const OPERATORS = 0;

/** The part of a request that decides its queue and its end. */
interface WaitingRequest {
  readonly caller:
    | { readonly kind: "workspace"; readonly workspace: { readonly id: number } }
    | { readonly kind: "operator" };
  readonly signal: AbortSignal;
}

/** How a request calls threads: in the queue of its workspace, until the request is aborted. */
export function threadOptions({ caller, signal }: WaitingRequest): CallOptions {
  const workspaceId = caller.kind === "workspace" ? caller.workspace.id : OPERATORS;
  return { workspaceId, origin: "request", signal };
}
