import type { Action } from "@parley/schema";
import type { UIMessageChunk } from "ai";
import { readOutput } from "./page-outputs.ts";

/** What the first chunk of an answer says of it beside its id. */
export interface AnswerMetadata {
  readonly conversationId: string;
}

/** A chunk of the UI message stream, version 1. */
export type Chunk = UIMessageChunk<AnswerMetadata>;

/** A call of a tool that the page has is one of those that it knows by name, and runs. */
export function callChunk(
  { sId: toolCallId, toolName, params: input }: Pick<Action, "sId" | "toolName" | "params">,
  { isOfPage }: { readonly isOfPage: boolean },
): Extract<Chunk, { type: "tool-input-available" }> {
  const call = { type: "tool-input-available", toolCallId, toolName, input } as const;
  return isOfPage ? call : { ...call, dynamic: true, providerExecuted: true };
}

/** The output that the page has sent, as it had it. */
export function outputChunk(action: Action): Chunk {
  const { sId: toolCallId, status, output } = action;
  if (status !== "succeeded") return resultChunk(action);
  return { type: "tool-output-available", toolCallId, output: readOutput(output) };
}

export function resultChunk({
  sId: toolCallId,
  status,
  output,
}: Pick<Action, "sId" | "status" | "output">): Chunk {
  if (status === "denied") return { type: "tool-output-denied", toolCallId };
  if (status === "succeeded") return { type: "tool-output-available", toolCallId, output };
  return { type: "tool-output-error", toolCallId, errorText: errorTextOf(output) };
}

/** What a call that failed has put out, which is MCP content: functions put out one text. */
export function errorTextOf(output: Action["output"]): string {
  const [first] = (output ?? []) as { text?: string }[];
  return first?.text ?? "The call did not end";
}
