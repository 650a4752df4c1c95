import type { Queryable } from "@parley/db";
import { NO_USER, readAccess } from "./allowed-calls.ts";
import { askUserTool, readQuestion } from "./ask-user.ts";
import type { Called } from "./called.ts";
import { callStatus, type StepCall } from "./function-calls.ts";
import { type AskedBy, type CallingTurn, readAskedBy } from "./calling-turn.ts";
import {
  approvalKeyOf,
  findApproved,
  findApprovedTools,
  isApprovedByServer,
  keyText,
  type ToolApprovalKey,
} from "./lasting-approvals.ts";

/** A tool call with its outcome when its step is saved. */
export interface AuthorizedCall {
  readonly call: StepCall;
  readonly status: (typeof callStatus)[keyof typeof callStatus];
  /** The text for the model; null while the call is open. */
  readonly output: string | null;
  readonly durationMs: number | null;
  /** What it starts: at once where it runs, after an approval where it is blocked. */
  readonly called?: Called;
}

/**
 * Authorizes the calls of a step: a call whose stake asks for approval waits for it, unless the message
 * skips approvals or its user has approved it for good; one of a server that its user has to allow first waits
 * for that; another is started; a call of what is no longer there fails. `called` is what the calls start; `timezone` and `userSid` are the asking user's.
 */
export async function authorizeCalls(
  db: Queryable,
  { message, agent }: Pick<CallingTurn, "message" | "agent">,
  {
    calls,
    called,
  }: {
    readonly calls: readonly StepCall[];
    readonly called: ReadonlyMap<StepCall, Called>;
  },
): Promise<{ authorized: AuthorizedCall[] } & Pick<AskedBy, "timezone" | "userSid">> {
  if (!calls.some(({ output }) => output === undefined)) {
    return { authorized: calls.map(authorizeFinished), timezone: null, userSid: null };
  }
  const { userId, userSid, timezone } = await readAskedBy(db, message);
  const asks = ({ stake }: Called) => stake !== "never_ask" && message.skipToolsValidation !== true;
  const isApproved = await readApprovals(db, userId, {
    asked: [...called.values()].filter(asks),
    agentSid: agent.sid,
  });
  const access = await readAccess(db, userId, [...called.values()]);
  const authorized = calls.map((call): AuthorizedCall => {
    if (call.output !== undefined) return authorizeFinished(call);
    if (call.name === askUserTool.name) return authorizeQuestion(call);
    const one = called.get(call);
    if (one === undefined) return errored(call, `The function ${call.name} is no longer there`);
    const open = { call, output: null, durationMs: null, called: one };
    if (asks(one) && !isApproved(one)) return { ...open, status: callStatus.blocked };
    const missing = access(one);
    if (missing === "user") return errored(call, NO_USER);
    return { ...open, status: missing === "allowed" ? callStatus.running : callStatus.connecting };
  });
  return { authorized, timezone, userSid };
}

/** Which of the calls the user has approved for good. */
async function readApprovals(
  db: Queryable,
  userId: number | null,
  { asked, agentSid }: { asked: readonly Called[]; agentSid: string },
): Promise<(called: Called) => boolean> {
  const keyOf = ({ tool, stake }: Called): ToolApprovalKey | undefined =>
    tool && approvalKeyOf(tool, { stake, agentSid });
  const functionIds = asked.flatMap(({ tool, sandboxFunction }) =>
    tool === undefined ? sandboxFunction.id : [],
  );
  const functions = await findApproved(db, userId, functionIds);
  const tools = await findApprovedTools(
    db,
    userId,
    asked.flatMap((one) => keyOf(one) ?? []),
  );
  return (one) => {
    if (one.tool === undefined) return functions.has(one.sandboxFunction.id);
    if (isApprovedByServer(one.tool)) return true;
    const key = keyOf(one);
    return key !== undefined && tools.has(keyText(key));
  };
}

function authorizeQuestion(call: StepCall): AuthorizedCall {
  const isQuestion = readQuestion(call.params) !== undefined;
  return isQuestion
    ? { call, status: callStatus.asking, output: null, durationMs: null }
    : errored(call, "This is no question");
}

function errored(call: StepCall, output: string): AuthorizedCall {
  return { call, status: callStatus.errored, output, durationMs: null };
}

function authorizeFinished(call: StepCall): AuthorizedCall {
  if (call.output === undefined) throw new Error(`The call ${call.id} has not finished`);
  const { output, isError } = call;
  const status = isError ? callStatus.errored : callStatus.succeeded;
  return { call, status, output, durationMs: Math.round(call.durationMs) };
}
