import type {
  ToolApproval,
  ToolAuthorizationRequired,
  ToolOutputRequired,
  ToolQuestion,
} from "@parley/schema";

type Waiting = ToolApproval | ToolQuestion | ToolAuthorizationRequired | ToolOutputRequired;

/** What a tool call waits for, in a line; undefined for an event that a newer server sends. */
export function describeWaiting(event: Waiting): string | undefined {
  switch (event.type) {
    case "tool_approve_execution":
      return `${event.metadata.agentName} waits for the approval of ${event.metadata.toolName} ${JSON.stringify(event.inputs)} (${event.actionId})`;
    case "tool_ask_user_question":
      return `${event.metadata.agentName} asks: ${event.question.question} (${event.actionId})`;
    case "tool_personal_auth_required":
      return `${event.metadata.agentName} waits until its user authorizes ${event.metadata.mcpServerDisplayName} (${event.actionId})`;
    case "tool_output_required":
      return `waits for the output of ${event.functionName} ${JSON.stringify(event.inputs)} (${event.actionId})`;
    default:
      event satisfies never;
      return undefined;
  }
}
