import type { actions, Queryable } from "@parley/db";
import type { Process } from "../context.ts";
import { NO_USER, readAccess } from "./allowed-calls.ts";
import { askUserTool, readQuestion } from "./ask-user.ts";
import { callStatus, outputOf } from "./call-states.ts";
import { type AskedBy, askedByNobody, type CallingTurn, readAskedBy } from "./calling-turn.ts";
import { readApprovals } from "./lasting-approvals.ts";
import { describeGone, type PreparedCall, type StepCall } from "./prepared-calls.ts";
import type { TeamCalls } from "./task-calls.ts";

type NewRow = typeof actions.$inferInsert;

/** A call that is not stored yet, in its first state. */
export interface NewCall {
  readonly row: NewRow;
  /** What it starts: at once if it runs, otherwise once its user lets it. Undefined for others. */
  readonly prepared?: PreparedCall | undefined;
}

/**
 * Builds the calls of a step, each in the first of these states that applies:
 *
 * | a call                                        | is                        |
 * | --------------------------------------------- | ------------------------- |
 * | that the worker has run                       | succeeded, errored        |
 * | of a tool of the application                  | waiting for the output    |
 * | that asks the user                            | waiting for the answer    |
 * | that asks another agent, which may be asked   | running                   |
 * | that hands over to another agent              | succeeded                 |
 * | of what is no longer there                    | errored                   |
 * | whose stake asks for an approval, unless the  | waiting for the approval  |
 * | message skips it or the user always approves  |                           |
 * | of a server that its user has not allowed     | waiting for permission    |
 * | of any other kind                             | running                   |
 *
 * `ofApplication` has the names of the application's tools. `timezone` and `userSid` are the asking user's.
 */
export async function buildCalls(
  { newId }: Pick<Process, "newId">,
  db: Queryable,
  {
    turn: { message, agent },
    step,
    calls,
    prepared,
    ofApplication,
    tasks,
    now,
  }: {
    readonly turn: Pick<CallingTurn, "message" | "agent">;
    readonly step: number;
    readonly calls: readonly StepCall[];
    readonly prepared: ReadonlyMap<StepCall, PreparedCall>;
    readonly ofApplication: ReadonlySet<string>;
    /** The calls that use other agents. */
    readonly tasks?: TeamCalls | undefined;
    readonly now: number;
  },
): Promise<{ created: NewCall[]; askedBy: AskedBy }> {
  const isOpen = calls.some(({ output }) => output === undefined);
  const askedBy = isOpen ? await readAskedBy(db, message) : askedByNobody;
  const { userId } = askedBy;
  const targets = [...prepared.values()];
  const asks = ({ stake }: PreparedCall) =>
    stake !== "never_ask" && message.skipToolsValidation !== true;
  const asking = { calls: targets.filter(asks), agentSid: agent.sid };
  const isApproved = await readApprovals(db, userId, asking);
  const access = await readAccess(db, userId, targets);
  const begin = (call: StepCall): Begun => {
    if (call.output !== undefined) {
      const status = call.isError ? callStatus.errored : callStatus.succeeded;
      const executionDurationMs = Math.round(call.durationMs);
      const citations = call.citations === undefined ? null : [...call.citations];
      return { status, output: outputOf(call.output), executionDurationMs, citations };
    }
    if (ofApplication.has(call.name)) return { status: callStatus.needsOutput };
    if (call.name === askUserTool.name) {
      const isQuestion = readQuestion(call.params) !== undefined;
      return isQuestion ? { status: callStatus.needsAnswer } : failed("This is not a question");
    }
    const ofTeam = tasks?.get(call);
    if (ofTeam !== undefined) {
      const { status } = ofTeam;
      return status === "running" ? { status } : { status, output: outputOf(ofTeam.text) };
    }
    const target = prepared.get(call);
    if (target === undefined) return failed(describeGone(call.name));
    if (asks(target) && !isApproved(target)) {
      return { status: callStatus.needsApproval, prepared: target };
    }
    const given = access(target);
    if (given === "no user") return failed(NO_USER);
    const status = given === "allowed" ? callStatus.running : callStatus.needsPermission;
    return { status, prepared: target };
  };
  const created = calls.map((call, position): NewCall => {
    const { prepared: target, ...state } = begin(call);
    const { tool, stake } = target ?? {};
    const ofRun = { logId: message.sid, workspaceId: message.workspaceId };
    const row = {
      sid: call.actionId ?? newId("act"),
      messageId: message.id,
      ...(call.output === undefined && ofRun),
      step,
      position,
      toolName: tool?.toolName ?? call.name,
      functionCallName: call.name,
      functionCallId: call.id,
      mcpServerId: tool?.server.sid,
      stake: tool && stake,
      params: call.params,
      createdAt: now,
      updatedAt: now,
      ...state,
    };
    return { row, prepared: target };
  });
  return { created, askedBy };
}

/** The first state of a call. */
type Begun = Pick<NewRow, "status" | "output" | "executionDurationMs" | "citations"> &
  Pick<NewCall, "prepared">;

const failed = (text: string): Begun => ({ status: callStatus.errored, output: outputOf(text) });
