import type { StepPart, StepRequest } from "./provider.ts";

/** The code of a call that a budget has no room for. */
export const BUDGET_EXCEEDED = "budget_exceeded";

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
  try {
    const { maxOutputTokens } = call;
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
      else if (part.type === "finish") isCutOff = part.reason === "length";
      yield part;
    }
    if (isCutOff && call.cut !== undefined) yield { type: "error", ...call.cut };
  } finally {
    call.end();
  }
}
