import type { ModelService } from "@parley/schema";
import type { ModelProvider } from "../provider.ts";
import { needsNoKey, type ServiceAccess } from "./access.ts";
import type { CallLimits } from "./stream-step.ts";

export const defaultCallLimits: CallLimits = {
  idleMs: 120_000,
  callMs: 3_600_000,
  maxRetries: 3,
  maxRetryAfterMs: 60_000,
  firstRetryMs: 500,
};

/**
 * Makes the provider of a service's models. A step that has published something cannot go on behind
 * it: no service continues an answer from a given prefix.
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
    async *streamStep(request) {
      const apiKey = request.apiKey ?? access.apiKey;
      if (apiKey === undefined && !needsNoKey(id)) {
        const message = `There is no credential for ${id}: an admin can set one for the workspace`;
        yield { type: "error", code: "provider_auth_error", message };
        return;
      }
      // Loaded when it is first needed: a server of simulated models does without the AI SDK.
      const { streamServiceStep } = await import("./stream-step.ts");
      yield* streamServiceStep({ id, access, limits }, request);
    },
  };
}
