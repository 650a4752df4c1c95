import type { Action, MessageEvent } from "@parley/schema";
import type { TypedEvent } from "../json-templates.ts";
import { outputText } from "./output-text.ts";

type TaskStarted = Extract<MessageEvent, { readonly type: "agent_task_started" }>;

/** The tasks of an answer as sub-agents of a run: when each starts and how it ends, and nothing of what it says. */
export function createTasks() {
  /** How the sub-agents' runs have started, by the calls that ask. */
  const open = new Map<string, TypedEvent & { readonly subagentRunId: string }>();
  return {
    start({ actionId, task }: TaskStarted, parentMessageId: string): TypedEvent[] {
      const { messageId: subagentRunId, agentName: name } = task;
      const parents = { parentToolCallId: actionId, parentMessageId };
      const started = { type: "SUBAGENT_STARTED", subagentRunId, name, ...parents };
      open.set(actionId, started);
      return [started];
    },
    /** The tasks of earlier runs that have not ended: the next run has them again. */
    resume: (): TypedEvent[] => [...open.values()],
    /** What the end of a call is for its task; nothing for other calls. */
    end({ sId, status, output }: Pick<Action, "sId" | "status" | "output">): TypedEvent[] {
      const subagentRunId = open.get(sId)?.subagentRunId;
      if (subagentRunId === undefined) return [];
      open.delete(sId);
      if (status === "succeeded") return [{ type: "SUBAGENT_FINISHED", subagentRunId }];
      return [{ type: "SUBAGENT_ERROR", subagentRunId, message: outputText(output) }];
    },
    /** The tasks that have not ended when the run does: they wait for its user, or were cancelled with it. */
    leave(isInterrupted: boolean): TypedEvent[] {
      const left = [...open.values()].map(({ subagentRunId }): TypedEvent => {
        return isInterrupted
          ? { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended" } }
          : {
              type: "SUBAGENT_ERROR",
              subagentRunId,
              message: "The answer has ended",
              code: "cancelled",
            };
      });
      open.clear();
      return left;
    },
  };
}
