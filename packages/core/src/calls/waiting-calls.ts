import type {
  TaskPath,
  ToolApproval,
  ToolAuthorizationRequired,
  ToolQuestion,
} from "@parley/schema";
import type { Process } from "../context.ts";
import type { ActionRow, ConversationRow, MessageRow } from "../data-access/rows.ts";
import { type Append, appendEvents } from "../log/append.ts";
import type { Transaction } from "../log/transaction.ts";
import { askUserTool, readQuestion } from "./ask-user.ts";
import { callStatus, waitForPermission } from "./call-states.ts";
import { type CallingTurn, readAgent } from "./calling-turn.ts";
import type { TaskRoot } from "./task-path.ts";

/** The server that clients see as that of sandbox functions. */
const FUNCTIONS = "sandbox_functions";
/** Of functions, only calls of those that require approval wait. */
const FUNCTION_STAKE = "high";

/** A call that waits for its user: for an approval, an answer or the permission to call its server. */
export interface WaitingCall {
  readonly action: ActionRow;
  /** Name of the tool whose server is called; null for a function. */
  readonly serverName: string | null;
  readonly agent: CallingTurn["agent"];
  readonly conversationId: string;
  readonly messageId: string;
  /** Id of the user whose message is answered. */
  readonly userId: string | null;
  /** Of a task, the answers that have led to it. */
  readonly path?: TaskPath | null | undefined;
}

/** Calls that wait for their users as the wire announces them, those of one step in order. */
export function renderWaitingCalls(
  calls: readonly WaitingCall[],
): (ToolApproval | ToolQuestion | ToolAuthorizationRequired)[] {
  return calls.map((call, index) => {
    const { action, serverName, agent, conversationId, messageId, userId, path } = call;
    const next = calls[index + 1]?.action;
    const shared = {
      created: action.createdAt,
      configurationId: agent.sid,
      messageId,
      conversationId,
      actionId: action.sid,
      inputs: action.params,
      stake: action.stake ?? FUNCTION_STAKE,
      metadata: {
        agentName: agent.name,
        mcpServerName: serverName ?? FUNCTIONS,
        toolName: action.toolName,
      },
      ...(userId !== null && { userId }),
      ...(path && { path }),
      isLastBlockingEventForStep: next?.messageId !== action.messageId || next.step !== action.step,
    };
    if (action.status === callStatus.needsPermission) return requireAuthorization(call, shared);
    if (action.status !== callStatus.needsAnswer)
      return { type: "tool_approve_execution", ...shared };
    const question = readQuestion(action.params);
    if (question === undefined) throw new Error(`The call ${action.sid} asks nothing`);
    const metadata = { ...shared.metadata, mcpServerName: askUserTool.name };
    return {
      type: "tool_ask_user_question",
      ...shared,
      stake: "never_ask",
      metadata,
      question,
    };
  });
}

function requireAuthorization(
  { action, serverName }: WaitingCall,
  shared: Omit<ToolApproval, "type">,
): ToolAuthorizationRequired {
  const { mcpServerId: sid, toolName } = action;
  const name = serverName ?? toolName;
  const mcpServerId = sid ?? "";
  const message = `${name} can only be called for you once you authorize it`;
  return {
    type: "tool_personal_auth_required",
    ...shared,
    metadata: { ...shared.metadata, mcpServerId, mcpServerDisplayName: name },
    authError: { mcpServerId, message, provider: "mcp", toolName },
  };
}

/**
 * Makes a call wait until its user lets its server be called, and announces that, in the transaction that has locked
 * the logs of its message and its conversation.
 */
export async function askForPermission(
  core: Pick<Process, "now">,
  { db, afterCommit }: Transaction,
  {
    message,
    conversation: { sid: conversationId },
    root,
    ...call
  }: Pick<WaitingCall, "action" | "serverName" | "userId"> & {
    readonly message: MessageRow;
    readonly conversation: Pick<ConversationRow, "sid">;
    readonly root: TaskRoot | undefined;
  },
): Promise<void> {
  const action = await waitForPermission(core, db, call.action);
  const agent = await readAgent(db, message);
  const { sid: messageId } = message;
  const of = { conversationId, messageId, path: root?.path };
  const events = renderWaitingCalls([{ ...call, ...of, action, agent }]);
  const { step } = action;
  const ofMessage = events.map((event) => ({ ...event, step }));
  const appends = [
    { logId: messageId, events: ofMessage },
    { logId: conversationId, events },
    ...announceAtRoot(root, events),
  ];
  await appendEvents(db, appends, afterCommit);
}

/** Tells the first answer above a task, and its conversation, of calls that wait. */
export function announceAtRoot(
  root: TaskRoot | undefined,
  events: ReturnType<typeof renderWaitingCalls>,
): Append[] {
  if (root === undefined) return [];
  const { conversationId, messageId, step } = root;
  return [
    { logId: conversationId, events },
    { logId: messageId, events: events.map((event) => ({ ...event, step })) },
  ];
}
