import { type Citation, toStorableJson } from "@parley/schema";
import { type OfferedFunction, refuseWithheld, type SkillLoads } from "./offered-functions.ts";
import type { FinishedCall, ToolCall, ToolDefinition } from "./provider.ts";

/** The output of a tool; errors are outputs too, which the model is shown. */
export interface ToolAnswer {
  readonly output: string;
  readonly isError: boolean;
  /** The parts of documents that the output shows, numbered in the answer. */
  readonly citations?: readonly Citation[] | undefined;
}

/** A tool that Parley itself runs when a model calls it. */
export interface BuiltInTool extends ToolDefinition {
  /** Throws only if a retry of the whole step may help. `loads` are those before the call, also of its step. */
  run(params: Record<string, unknown>, loads: SkillLoads): Promise<ToolAnswer>;
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
  /** What has loaded skills before the step. */
  readonly loads: SkillLoads;
}

/** Calls of functions in one step; further ones are refused. */
const MAX_FUNCTION_CALLS = 64;

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
  let { loads } = given;
  let open = 0;
  for (const { output, isError = false, ...call } of calls) {
    const isFunction = output === undefined && has(given.offered, call.name);
    if (isFunction && ++open <= MAX_FUNCTION_CALLS) {
      // The same members, with storable texts.
      results.push(toStorableJson(call) as FunctionCall);
      continue;
    }
    const startedAt = performance.now();
    const answer = output === undefined ? await runCall(call, given, loads) : { output, isError };
    const durationMs = performance.now() - startedAt;
    // The same members, with storable texts.
    const finished = toStorableJson({ ...call, ...answer, durationMs }) as FinishedCall;
    results.push(finished);
    loads = { ...loads, finishedCalls: [...loads.finishedCalls, finished] };
  }
  return results;
}

function has(tools: readonly ToolDefinition[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

async function runCall(
  call: ToolCall,
  { tools, functions, offered, loads }: Offered,
  loadsBefore: SkillLoads,
): Promise<ToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool !== undefined) return tool.run(call.params, loadsBefore);
  if (has(offered, call.name)) {
    const output = `A step may call ${MAX_FUNCTION_CALLS} functions: call this one in the next`;
    return { output, isError: true };
  }
  const withheld = refuseWithheld(functions, call.name, loads);
  if (withheld !== undefined) return { output: withheld, isError: true };
  const names = [...tools, ...offered].map(({ name }) => name).join(", ") || "none";
  return { output: `No tool named ${call.name}. Tools: ${names}`, isError: true };
}
