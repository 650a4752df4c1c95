import type { ModelService } from "@parley/schema";
import type { StepPart, StepRequest } from "../src/provider.ts";
import { createServiceProvider } from "../src/providers/service-provider.ts";
import type { CallLimits } from "../src/providers/stream-step.ts";
import { startFakeService } from "./fake-service.ts";
import { textParts } from "../src/prompt-parts.ts";

/** Bounds of calls that are soon retried. */
export const limits: CallLimits = {
  idleMs: 5000,
  callMs: 60_000,
  maxRetries: 2,
  maxRetryAfterMs: 40,
  firstRetryMs: 1,
};
export const secret = "sk-proj-verysecret0123456789";
/** A service of each format, and one of its models. */
export const wires: [ModelService, string][] = [
  ["openai", "gpt-5"],
  ["openai_compatible", "llama"],
  ["anthropic", "claude-sonnet-4-5"],
  ["google_ai_studio", "gemini-2.5-flash"],
];

/** Creates what starts a service for one test, and a provider that calls it; the test closes it as it ends. */
export const createStart =
  (onTestFinished: (close: () => Promise<void>) => void) =>
  async (id: ModelService, given: Partial<CallLimits> = {}) => {
    const service = await startFakeService({ apiKey: secret });
    onTestFinished(service.close);
    service.script = { steps: [{ text: "All is well, and has been for long" }], tokenDelayMs: 0 };
    const access = { apiKey: secret, baseUrl: `${service.url}/v1` };
    return { service, provider: createServiceProvider(id, access, { ...limits, ...given }) };
  };

/** What a step asks of a model. */
export const ask = (parts: Partial<StepRequest> = {}): StepRequest => ({
  modelId: "model",
  temperature: 0.5,
  prompt: [{ role: "user", parts: textParts("Hi") }],
  tools: [],
  finishedSteps: [],
  finishedCalls: [],
  step: 0,
  script: null,
  prefix: { text: "", reasoning: "" },
  signal: new AbortController().signal,
  ...parts,
});
export const textOf = (parts: readonly StepPart[]) =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
/** The parts but for the calls that were made again. */
export const ended = (parts: readonly StepPart[]) => parts.filter(({ type }) => type !== "retry");

export const errorsOf = (parts: readonly StepPart[]) =>
  parts.filter((part) => part.type === "error");
