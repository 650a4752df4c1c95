import type { ModelPair } from "@parley/schema";
import type { StepPart, StepRequest } from "./provider.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Decides whether calls of models may be sent, and learns what they were billed. */
export interface CallMeter {
  /** Called before each call, also of one that is repeated. Throws the reason of the request's signal. */
  begin(model: ModelPair, request: StepRequest): Promise<MeteredCall | RefusedCall>;
}

/** A call that may be sent. */
export interface MeteredCall {
  /** Most tokens that the model may write; undefined for its own limit. */
  readonly maxOutputTokens: number | undefined;
  /** Why it has to stop there, if that is less than it might write. */
  readonly cut: RefusedCall | undefined;
  /** Called once the request may have reached the service. */
  sent(): void;
  /** Called with what the service has counted; undefined if that cannot be read. */
  used(usage: TokenUsage | undefined): void;
  /** Called if the service has refused the request: it bills nothing. */
  refused(): void;
  /** Called at the end, however the call ends. */
  end(): void;
}

/** The code of a call that a budget has no room for. */
export const BUDGET_EXCEEDED = "budget_exceeded";

/** Why a call may not be sent, or not go on. */
export interface RefusedCall {
  readonly code: string;
  readonly message: string;
}

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
