import type { ClaimedRun } from "@parley/core";

/** What every line that is logged of a run says: whose it is, and which request made it. */
export function describeRun(run: ClaimedRun) {
  return {
    workspaceId: run.workspaceSid ?? undefined,
    logId: run.logId,
    kind: run.kind,
    attempt: run.attempt,
    requestId: run.requestId ?? undefined,
    traceId: run.traceparent?.split("-")[1],
    traceparent: run.traceparent ?? undefined,
  };
}
