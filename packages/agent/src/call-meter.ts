import { charactersOfPrompt } from "./summary-message.ts";
import type { StepPart, StepRequest } from "./provider.ts";
import type { TokenUsage } from "./token-usage.ts";

/** The code of a call that a budget has no room for. */
export const BUDGET_EXCEEDED = "budget_exceeded";

/** Characters of a token of a model that has no tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

/** What a simulated call would have used, in tokens of four characters. */
const simulatedUsage = ({ prompt }: StepRequest, writtenCharacters: number): TokenUsage => ({
  inputTokens: Math.ceil(charactersOfPrompt(prompt) / CHARACTERS_PER_TOKEN),
  outputTokens: Math.ceil(writtenCharacters / CHARACTERS_PER_TOKEN),
});

/** Streams one call of a model under the request's meter; a call that is refused is an error part. */
export async function* meterCall(
  providerId: string,
  request: StepRequest,
  send: (request: StepRequest) => AsyncIterable<StepPart>,
): AsyncGenerator<StepPart, void, undefined> {
  const { meter, modelId, onSent } = request;
  if (meter === undefined) {
    yield* send(request);
    return;
  }
  const call = await meter.begin({ providerId, modelId }, request);
  if ("code" in call) {
    yield { type: "error", ...call };
    return;
  }
  let isCutOff = false;
  let written = 0;
  try {
    const { maxOutputTokens: ofMeter } = call;
    const { maxOutputTokens: ofRequest } = request;
    const isOfMeter = ofMeter !== undefined && ofMeter <= (ofRequest ?? Infinity);
    const maxOutputTokens = isOfMeter ? ofMeter : ofRequest;
    const metered: StepRequest = {
      ...request,
      maxOutputTokens,
      onSent: (...sent) => {
        call.sent();
        onSent?.(...sent);
      },
      onRefused: () => call.refused(),
    };
    for await (const part of send(metered)) {
      // A provider without a service sends nothing.
      call.sent();
      if (part.type === "usage") {
        const { type: _type, ...usage } = part;
        call.used(usage);
      } else if (part.type === "unreadable_usage") call.used(undefined);
      else if (part.type === "text" || part.type === "reasoning") written += part.text.length;
      else if (part.type === "finish") isCutOff = part.reason === "length";
      yield part;
    }
    if (providerId === "simulated") call.simulated(simulatedUsage(request, written));
    if (isCutOff && isOfMeter && call.cut !== undefined) yield { type: "error", ...call.cut };
  } finally {
    call.end();
  }
}
