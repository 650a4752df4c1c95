import { countFitting } from "../src/count-thread.ts";
import type { ModelProvider, StepPart, StepRequest } from "../src/provider.ts";
import type { TurnEvent, TurnRequest } from "../src/contract.ts";
import { runTurn } from "../src/turn.ts";
import { textParts } from "../src/prompt-parts.ts";

export const text = (value: string): StepPart => ({ type: "text", text: value });
export const reasoning = (value: string): StepPart => ({ type: "reasoning", text: value });
export const call = (name: string): StepPart => ({
  type: "call",
  call: { id: `call_${name}`, name, params: {}, output: name },
});

/** Creates a provider that gives these parts, or throws, in each step. */
export function createProvider(
  steps: readonly (readonly (StepPart | Error)[])[],
  canContinue = false,
): ModelProvider & { requests: StepRequest[] } {
  const requests: StepRequest[] = [];
  return {
    requests,
    canContinue,
    countsTokens: false,
    async *streamStep(request) {
      requests.push(request);
      for (const part of steps[request.step] ?? []) {
        if (part instanceof Error) throw part;
        yield part;
      }
    },
  };
}

/** Runs a turn to its end. */
export const run = (
  provider: ModelProvider,
  parts: Partial<TurnRequest> = {},
): Promise<TurnEvent[]> =>
  Array.fromAsync(
    runTurn({
      provider,
      modelId: "model",
      temperature: 1,
      prompt: [{ role: "user", parts: textParts("Hi") }],
      script: null,
      maxSteps: 8,
      contextTokens: 100_000,
      countFitting: async (given) => countFitting(given),
      signal: new AbortController().signal,
      finishedSteps: [],
      finishedReasoning: "",
      finishedCalls: [],
      tools: [],
      functions: [],
      prefix: { text: "", reasoning: "" },
      ...parts,
    }),
  );
/** The text that was published. */
export const published = (events: readonly TurnEvent[]) =>
  events
    .map((event) =>
      event.type === "tokens" && event.classification === "tokens" ? event.text : "",
    )
    .join("");
