import type { Queryable } from "@parley/db";
import type { SandboxFunction } from "../functions/sandbox-functions.ts";
import { callStatus, type StepCall } from "./function-calls.ts";
import type { Turn } from "./load-turns.ts";
import { type AskedBy, findApproved, readAskedBy } from "./turn-functions.ts";

/** A tool call with its outcome when its step is saved. */
export interface AuthorizedCall {
  readonly call: StepCall;
  readonly status: (typeof callStatus)[keyof typeof callStatus];
  /** The text for the model; null while the call is open. */
  readonly output: string | null;
  readonly durationMs: number | null;
  /** The function to invoke at once. */
  readonly invoked?: SandboxFunction;
}

/**
 * Authorizes the calls of a step: a call of a function that requires approval waits for it, unless
 * the message skips approvals or its user has always approved the function; another is invoked; a call
 * of a function that was archived since the claim fails. `functions` are the called ones, by slug;
 * `timezone` and `userSid` are the asking user's.
 */
export async function authorizeCalls(
  db: Queryable,
  { message }: Pick<Turn, "message">,
  {
    calls,
    functions,
  }: {
    readonly calls: readonly StepCall[];
    readonly functions: ReadonlyMap<string, SandboxFunction>;
  },
): Promise<{ authorized: AuthorizedCall[] } & Pick<AskedBy, "timezone" | "userSid">> {
  if (!calls.some(({ output }) => output === undefined)) {
    return { authorized: calls.map(authorizeFinished), timezone: null, userSid: null };
  }
  const { userId, userSid, timezone } = await readAskedBy(db, message);
  const guarded = [...functions.values()].filter(({ definition }) => definition.requiresApproval);
  const ids = message.skipToolsValidation === true ? [] : guarded.map(({ id }) => id);
  const approved = await findApproved(db, userId, ids);
  const authorized = calls.map((call): AuthorizedCall => {
    if (call.output !== undefined) return authorizeFinished(call);
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
  return { authorized, timezone, userSid };
}

function authorizeFinished(call: StepCall): AuthorizedCall {
  if (call.output === undefined) throw new Error(`The call ${call.id} has not finished`);
  const { output, isError } = call;
  const status = isError ? callStatus.errored : callStatus.succeeded;
  return { call, status, output, durationMs: Math.round(call.durationMs) };
}
