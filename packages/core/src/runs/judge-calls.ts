import type { Queryable } from "@parley/db";
import { callStatus } from "../function-calls.ts";
import type { SandboxFunction } from "../sandbox-functions.ts";
import { findApproved, findCalledFunctions, readAskedBy } from "../turn-functions.ts";
import type { Turn } from "./load-turns.ts";
import type { FinishedCall, FunctionCall } from "./save-step.ts";

/** A tool call, and what becomes of it when its step is saved. */
export interface JudgedCall {
  readonly call: FinishedCall | FunctionCall;
  readonly status: (typeof callStatus)[keyof typeof callStatus];
  /** What the model is told; null while the call is open. */
  readonly output: string | null;
  readonly durationMs: number | null;
  /** The function to invoke at once. */
  readonly invoked?: SandboxFunction;
}

/**
 * Judges the calls of a step: a function of high stake waits for approval, unless the message skips
 * that or the user who asked has approved the function for good; another is invoked; one that was
 * archived since the turn was claimed is told to be gone. `timezone` is the asking user's.
 */
export async function judgeCalls(
  db: Queryable,
  { message }: Pick<Turn, "message">,
  calls: readonly (FinishedCall | FunctionCall)[],
): Promise<{ judged: JudgedCall[]; timezone: string | null }> {
  const slugs = calls.filter(({ output }) => output === undefined).map(({ name }) => name);
  if (slugs.length === 0) return { judged: calls.map(judgeFinished), timezone: null };
  const functions = await findCalledFunctions(db, message.workspaceId, slugs);
  const { userId, timezone } = await readAskedBy(db, message);
  const grave = [...functions.values()].filter(({ definition }) => definition.stake === "high");
  const ids = message.skipToolsValidation === true ? [] : grave.map(({ id }) => id);
  const approved = await findApproved(db, userId, ids);
  const judged = calls.map((call): JudgedCall => {
    if (call.output !== undefined) return judgeFinished(call);
    const invoked = functions.get(call.name);
    if (invoked === undefined) {
      const output = `The function ${call.name} is no longer there`;
      return { call, status: callStatus.errored, output, durationMs: null };
    }
    const open = { call, output: null, durationMs: null };
    if (ids.includes(invoked.id) && !approved.has(invoked.id)) {
      return { ...open, status: callStatus.blocked };
    }
    return { ...open, status: callStatus.running, invoked };
  });
  return { judged, timezone };
}

function judgeFinished(call: FinishedCall | FunctionCall): JudgedCall {
  if (call.output === undefined) throw new Error(`The call ${call.id} has not finished`);
  const { output, isError } = call;
  const status = isError ? callStatus.errored : callStatus.succeeded;
  return { call, status, output, durationMs: Math.round(call.durationMs) };
}
