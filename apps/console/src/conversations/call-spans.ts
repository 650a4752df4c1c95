import type { Action, AgentMessage } from "parley-client";

/** A call on the time axis of its answer. */
export interface CallSpan {
  readonly action: Action;
  /** Start and length as shares of the whole time, from 0 to 1. */
  readonly startShare: number;
  readonly lengthShare: number;
  readonly durationMs: number;
}

/** Places the calls of an answer on the time from its creation to the last change of a call. */
export function spansOf({
  created,
  actions,
}: Pick<AgentMessage, "created" | "actions">): CallSpan[] {
  const end = Math.max(...actions.map(({ updatedAt }) => updatedAt));
  const whole = Math.max(1, end - created);
  return actions.map((action) => {
    const start = Math.max(0, action.createdAt - created);
    const durationMs = action.executionDurationMs ?? action.updatedAt - action.createdAt;
    // A call that waited for a person takes that time too.
    const length = Math.max(durationMs, action.updatedAt - action.createdAt);
    const startShare = Math.min(1, start / whole);
    return {
      action,
      startShare,
      lengthShare: Math.min(1 - startShare, length / whole),
      durationMs,
    };
  });
}
