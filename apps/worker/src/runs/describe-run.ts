import type { ClaimedRun } from "@parley/core";

/** Members of every log line about a run: its workspace, and the request that created it. */
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
