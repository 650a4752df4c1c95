import { type ModelService, modelServices } from "@parley/schema";
import type { ModelProvider } from "../provider.ts";
import type { ServiceAccess } from "./access.ts";
import type { CallLimits } from "./stream-step.ts";

export const defaultCallLimits: CallLimits = {
  idleMs: 120_000,
  callMs: 3_600_000,
  maxRetries: 3,
  maxRetryAfterMs: 60_000,
  firstRetryMs: 500,
};

/**
 * Creates the provider of a service's models. It cannot continue a step that has published something:
 * no service continues an answer from a given prefix.
 */
export function createServiceProvider(
  id: ModelService,
  access: ServiceAccess,
  limits: CallLimits = defaultCallLimits,
): ModelProvider {
  return {
    canContinue: false,
    countsTokens: true,
    contextTokens: access.contextTokens,
    takes: access.takes,
    async *streamStep(request) {
      const apiKey = request.apiKey ?? access.apiKey;
      if (apiKey === undefined && !modelServices[id].isSelfHosted) {
        const message = `No credential for ${id}: an admin can set one for the workspace`;
        yield { type: "error", code: "provider_auth_error", message };
        return;
      }
      // Loaded by the first call: a server of simulated models does not load the AI SDK.
      const { streamServiceStep } = await import("./stream-step.ts");
      yield* streamServiceStep({ id, access, limits }, request);
    },
  };
}
