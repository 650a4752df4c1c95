import { toStorableJson } from "@parley/schema";
import { type OfferedFunction, refuseWithheld } from "./offered-functions.ts";
import type { FinishedCall, StepRequest, ToolCall, ToolDefinition } from "./provider.ts";

/** The output of a tool; errors are outputs too, which the model is shown. */
export interface ToolAnswer {
  readonly output: string;
  readonly isError: boolean;
}

/** A tool that Parley itself runs when a model calls it. */
export interface BuiltInTool extends ToolDefinition {
  /** Whether a step after these calls is offered it; every step without this. */
  isOffered?(finished: Pick<StepRequest, "finishedCalls">): boolean;
  /** Throws only if a retry of the whole step may help. */
  run(params: Record<string, unknown>): Promise<ToolAnswer>;
}

/** A call of a sandbox function, which an invocation runs. */
export interface FunctionCall extends ToolCall {
  readonly output?: undefined;
}

interface Offered {
  readonly tools: readonly BuiltInTool[];
  /** All functions, those included that come with skills that are not loaded. */
  readonly functions: readonly OfferedFunction[];
  /** Those that the step was offered. */
  readonly offered: readonly OfferedFunction[];
}

/** Calls of functions in one step; further ones are refused. */
const MAX_FUNCTION_CALLS = 64;

/** The tools that a step is offered: some only once a finished call makes them useful. */
export function offeredTools(
  tools: readonly BuiltInTool[],
  finished: Pick<StepRequest, "finishedCalls">,
): BuiltInTool[] {
  return tools.filter((tool) => tool.isOffered?.(finished) ?? true);
}

/** Whether a call waits for a function. */
export function isFunctionCall(call: FinishedCall | FunctionCall): call is FunctionCall {
  return call.output === undefined;
}

/**
 * Runs the calls of a model with the tools of their names, unless the provider has run them. Calls of
 * functions stay open.
 */
export async function runCalls(
  calls: readonly ToolCall[],
  given: Offered,
): Promise<(FinishedCall | FunctionCall)[]> {
  const results: (FinishedCall | FunctionCall)[] = [];
  let open = 0;
  for (const { output, isError = false, ...call } of calls) {
    const isFunction = output === undefined && has(given.offered, call.name);
    if (isFunction && ++open <= MAX_FUNCTION_CALLS) {
      // The same members, with storable texts.
      results.push(toStorableJson(call) as FunctionCall);
      continue;
    }
    const startedAt = performance.now();
    const answer = output === undefined ? await runCall(call, given) : { output, isError };
    const durationMs = performance.now() - startedAt;
    // The same members, with storable texts.
    results.push(toStorableJson({ ...call, ...answer, durationMs }) as FinishedCall);
  }
  return results;
}

function has(tools: readonly ToolDefinition[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

async function runCall(
  call: ToolCall,
  { tools, functions, offered }: Offered,
): Promise<ToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool !== undefined) return tool.run(call.params);
  if (has(offered, call.name)) {
    const output = `A step may call ${MAX_FUNCTION_CALLS} functions: call this one in the next`;
    return { output, isError: true };
  }
  const withheld = refuseWithheld(functions, call.name);
  if (withheld !== undefined) return { output: withheld, isError: true };
  const names = [...tools, ...offered].map(({ name }) => name).join(", ") || "none";
  return { output: `No tool named ${call.name}. Tools: ${names}`, isError: true };
}
