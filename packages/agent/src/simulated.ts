import { setTimeout as sleep } from "node:timers/promises";
import type { SimulatedScript } from "@parley/schema";
import { writtenTextOf } from "./prompt-parts.ts";
import type { ModelProvider, StepPart } from "./provider.ts";

/** Script of an agent without one: it repeats the message. */
const echo: SimulatedScript = { steps: [{ text: "You said: {{message}}" }], tokenDelayMs: 0 };

/**
 * The simulated provider: plays the agent's script. The same script and prompt give the same parts,
 * so a step can continue after any prefix of itself.
 */
export const simulatedProvider: ModelProvider = {
  canContinue: true,
  countsTokens: false,
  async *streamStep(request) {
    const script = request.script ?? echo;
    const step = script.steps[request.step];
    if (step === undefined) return;
    const { prefix, signal } = request;
    const asked = request.prompt.findLast(({ role }) => role === "user");
    const message = asked === undefined ? "" : writtenTextOf(asked);
    const result = request.finishedCalls.at(-1)?.output ?? "";
    const fill = (template = "") =>
      template.replaceAll(/\{\{(message|result)\}\}/g, (_, name) =>
        name === "message" ? message : result,
      );
    const { tokenDelayMs } = script;
    const reasoning = fill(step.reasoning).slice(prefix.reasoning.length);
    yield* stream("reasoning", reasoning, { tokenDelayMs, signal });
    yield* stream("text", fill(step.text).slice(prefix.text.length), { tokenDelayMs, signal });
    for (const [index, call] of (step.toolCalls ?? []).entries()) {
      yield { type: "call", call: { id: `call_${request.step}_${index}`, ...call } };
    }
    if (step.error !== undefined) yield { type: "error", ...step.error };
  },
};

async function* stream(
  type: "reasoning" | "text",
  text: string,
  { tokenDelayMs, signal }: { tokenDelayMs: number; signal: AbortSignal },
): AsyncGenerator<StepPart> {
  // A script without pauses needs no single tokens. A remainder of white space alone is a token too.
  const tokens = tokenDelayMs > 0 ? (text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []) : [text];
  for (const token of tokens) {
    if (tokenDelayMs > 0) await sleep(tokenDelayMs, undefined, { signal });
    signal.throwIfAborted();
    if (token !== "") yield { type, text: token };
  }
}
