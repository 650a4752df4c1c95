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

/** A call of a function, which is run elsewhere. */
export interface FunctionCall extends ToolCall {
  readonly output?: undefined;
}

interface Offered {
  readonly tools: readonly BuiltInTool[];
  readonly functions: readonly ToolDefinition[];
}

/** Calls of functions in one step; what comes after them is refused. */
const MAX_FUNCTION_CALLS = 64;

/** Whether a call waits for a function. */
export function isFunctionCall(call: FinishedCall | FunctionCall): call is FunctionCall {
  return call.output === undefined;
}

/**
 * Ends calls of a model: those that the provider has not run go to the tools of their names. Calls of
 * functions are left open.
 */
export async function runCalls(
  calls: readonly ToolCall[],
  offered: Offered,
): Promise<(FinishedCall | FunctionCall)[]> {
  const made: (FinishedCall | FunctionCall)[] = [];
  let open = 0;
  for (const { output, isError = false, ...call } of calls) {
    if (output === undefined && offered.functions.some(({ name }) => name === call.name)) {
      if (++open <= MAX_FUNCTION_CALLS) {
        // The same members, with their texts made storable.
        made.push(toStorableJson(call) as FunctionCall);
        continue;
      }
    }
    const startedAt = performance.now();
    const answer = output === undefined ? await runCall(call, offered) : { output, isError };
    const durationMs = performance.now() - startedAt;
    // The same members, with their texts made storable.
    made.push(toStorableJson({ ...call, ...answer, durationMs }) as FinishedCall);
  }
  return made;
}

async function runCall(call: ToolCall, { tools, functions }: Offered): Promise<ToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool !== undefined) return tool.run(call.params);
  if (functions.some(({ name }) => name === call.name)) {
    const output = `A step may call ${MAX_FUNCTION_CALLS} functions: call this one in the next`;
    return { output, isError: true };
  }
  const names = [...tools, ...functions].map(({ name }) => name).join(", ") || "none";
  return { output: `There is no tool ${call.name}. Tools: ${names}`, isError: true };
}
