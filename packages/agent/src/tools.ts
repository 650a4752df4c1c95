import { toStorableJson } from "@parley/schema";
import type { FinishedCall, ToolCall, ToolDefinition } from "./provider.ts";

/** What a tool answers; an error is an answer too, which the model is told. */
export interface ToolAnswer {
  readonly output: string;
  readonly isError: boolean;
}

/** A tool that Parley itself runs when a model calls it. */
export interface BuiltInTool extends ToolDefinition {
  /** Throws only where trying the whole step again may help. */
  run(params: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Ends calls of a model: those that the provider has not run go to the tools of their names. */
export async function runCalls(
  calls: readonly ToolCall[],
  tools: readonly BuiltInTool[],
): Promise<FinishedCall[]> {
  const finished: FinishedCall[] = [];
  for (const { output, ...call } of calls) {
    const startedAt = performance.now();
    const answer = output === undefined ? await runCall(call, tools) : { output, isError: false };
    const durationMs = performance.now() - startedAt;
    // The same members, with their texts made storable.
    finished.push(toStorableJson({ ...call, ...answer, durationMs }) as FinishedCall);
  }
  return finished;
}

async function runCall(call: ToolCall, tools: readonly BuiltInTool[]): Promise<ToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool !== undefined) return tool.run(call.params);
  const names = tools.map(({ name }) => name).join(", ") || "none";
  return { output: `There is no tool ${call.name}. Tools: ${names}`, isError: true };
}
