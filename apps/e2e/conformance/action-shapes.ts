import type { Shape } from "../shape.ts";

/** A file that a tool call has made. */
const generatedFile = {
  fileId: "string?",
  filePath: "string",
  title: "string",
  contentType: "string",
  snippet: "string?",
  hidden: "bool",
  isInProjectContext: "bool",
};

/** One tool call of an agent. */
export const action: Shape = {
  type: "tool_action",
  id: "int",
  sId: "string",
  createdAt: "ms",
  updatedAt: "ms",
  mcpServerId: "string?",
  internalMCPServerName: "string?",
  toolName: "string",
  agentMessageId: "int",
  functionCallName: "string",
  functionCallId: "string",
  status: "string",
  params: "object",
  step: "int",
  executionDurationMs: "int?",
  citationsAllocated: "int",
  output: "any",
  generatedFiles: [generatedFile],
  displayLabels: "object?",
};
