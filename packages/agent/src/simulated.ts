import { setTimeout as sleep } from "node:timers/promises";
import type { SimulatedScript } from "@parley/schema";
import { meterCall } from "./call-meter.ts";
import { messagesOfSteps } from "./prompt.ts";
import { filesOf, openEach } from "./prompt-files.ts";
import { writtenTextOf } from "./prompt-parts.ts";
import type { ModelProvider, StepPart, StepRequest } from "./provider.ts";

/** Script of an agent without one: it repeats the message. */
const echo: SimulatedScript = { steps: [{ text: "You said: {{message}}" }], tokenDelayMs: 0 };

/**
 * The simulated provider: plays the agent's script. The same script and prompt give the same parts,
 * so a step can continue after any prefix of itself.
 */
export const simulatedProvider: ModelProvider = {
  canContinue: true,
  countsTokens: false,
  streamStep: (request) => meterCall("simulated", request, play),
};

async function* play(request: StepRequest): AsyncGenerator<StepPart, void, undefined> {
  const script = request.script ?? echo;
  const step = script.steps[request.step];
  if (step === undefined) return;
  const { prefix, signal } = request;
  const asked = request.prompt.findLast(({ role }) => role === "user");
  const message = asked === undefined ? "" : writtenTextOf(asked);
  const result = request.finishedCalls.at(-1)?.output ?? "";
  const files = await describeFiles(request, step);
  const fill = (template = "") =>
    template.replaceAll(/\{\{(message|result|files)\}\}/g, (place, name) => {
      if (name === "files") return files ?? place;
      return name === "message" ? message : result;
    });
  const { tokenDelayMs } = script;
  const reasoning = fill(step.reasoning).slice(prefix.reasoning.length);
  yield* stream("reasoning", reasoning, { tokenDelayMs, signal });
  yield* stream("text", fill(step.text).slice(prefix.text.length), { tokenDelayMs, signal });
  for (const [index, call] of (step.toolCalls ?? []).entries()) {
    yield { type: "call", call: { id: `call_${request.step}_${index}`, ...call } };
  }
  if (step.error !== undefined) yield { type: "error", ...step.error };
}

/** Name, type and size of each file of the request; undefined without one, and where nobody reads it. */
async function describeFiles(
  request: StepRequest,
  { reasoning = "", text = "" }: SimulatedScript["steps"][number],
): Promise<string | undefined> {
  const files = filesOf([...request.prompt, ...messagesOfSteps(request)]);
  if (files.length === 0 || !(reasoning + text).includes("{{files}}")) return undefined;
  const opened = await (request.openFiles ?? openEach)(files, request.signal);
  try {
    return files
      .map((file) => {
        const bytes = opened.bytesOf(file)?.length;
        return `${file.name} (${file.contentType}, ${bytes ?? "no"} bytes)`;
      })
      .join(", ");
  } finally {
    opened.release();
  }
}

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
