/** Tools that an application brings with its message: it runs their calls, and sends the outputs. */
import type { MessageEvent, StoredFunctionTool, ToolOutputRequired } from "@parley/schema";
import type { AgentRow, MessageRow } from "../data-access/rows.ts";
import type { StoredEvent } from "../log/bus.ts";
import { memoryTool } from "../memories/memory-tool.ts";
import { isReservedName } from "../tools/name-tools.ts";
import { askUserTool } from "./ask-user.ts";
import { callStatus } from "./call-states.ts";
import type { WaitingCall } from "./waiting-calls.ts";

/** A turn, with the names of what its agent may call. */
interface OfferingTurn {
  readonly message: Pick<MessageRow, "answerSettings">;
  readonly agent: Pick<AgentRow, "asksUser">;
  readonly functions: readonly { readonly slug: string }[];
  readonly tools: readonly { readonly name: string }[];
  readonly team: readonly { readonly tool: string }[];
  readonly mounts: readonly unknown[];
}

/** The application's tools that a turn offers, in their order: a name of another tool of the turn stays that one's. */
export function applicationTools(turn: OfferingTurn): readonly StoredFunctionTool[] {
  const { functionTools: brought = [], toolChoice } = turn.message.answerSettings ?? {};
  if (brought.length === 0 || toolChoice === "none") return [];
  const own = new Set([
    ...turn.functions.map(({ slug }) => slug),
    ...turn.tools.map(({ name }) => name),
    ...turn.team.map(({ tool }) => tool),
    ...(turn.agent.asksUser ? [askUserTool.name] : []),
    ...(turn.mounts.length > 0 ? [memoryTool.name] : []),
  ]);
  return brought.filter(({ name }) => !own.has(name) && !isReservedName(name));
}

/** Calls of an application's tools as the wire announces them, those of one step in order. */
export function renderOutputCalls(calls: readonly WaitingCall[]): ToolOutputRequired[] {
  return calls.map(({ action, agent, conversationId, messageId, userId }, index) => ({
    type: "tool_output_required",
    created: action.createdAt,
    configurationId: agent.sid,
    messageId,
    conversationId,
    actionId: action.sid,
    inputs: action.params,
    ...(userId !== null && { userId }),
    isLastBlockingEventForStep: index === calls.length - 1,
    functionCallId: action.functionCallId,
    functionName: action.functionCallName,
  }));
}

/** Whether a call waits for the output of an application's tool. */
export const waitsForOutput = (status: string): boolean => status === callStatus.needsOutput;

/** Makes what is given the events of an answer in their order, and says whether it now waits for its application. */
export function watchOutputs(): (events: readonly StoredEvent[]) => boolean {
  const waiting = new Set<string>();
  return (events) => {
    for (const { type, payload } of events) {
      if (type !== "tool_output_required" && type !== "agent_action_success") continue;
      // Written by this program: the log holds what `MessageEvent` describes.
      const event = JSON.parse(payload) as MessageEvent;
      if (event.type === "tool_output_required") waiting.add(event.actionId);
      else if (event.type === "agent_action_success") waiting.delete(event.action.sId);
    }
    return waiting.size > 0;
  };
}
