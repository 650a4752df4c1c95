import type { ModelService, ReasoningEffort } from "@parley/schema";
import { expect, it, onTestFinished } from "vitest";
import { ask, createStart, errorsOf, textOf } from "../../testing/called-service.ts";

// Agents have a temperature, and may have an effort: services refuse what a model does not take of these.

const thinking: ReasoningEffort[] = ["light", "medium", "high"];
const any: ReasoningEffort[] = ["none", ...thinking];
const models: [ModelService, string, readonly ReasoningEffort[]][] = [
  ["openai", "gpt-6.2-astra", thinking],
  ["openai", "gpt-6.1-sol", thinking],
  ["openai", "gpt-6.1-terra", any],
  ["openai", "gpt-6-luna", any],
  ["anthropic", "claude-opus-5-5", thinking],
  ["anthropic", "claude-sonnet-5-5", thinking],
  ["anthropic", "claude-haiku-5-5", any],
];

it.each(
  models.flatMap(([service, modelId, efforts]) =>
    [undefined, ...efforts].map((effort) => ({ service, modelId, effort })),
  ),
)("$modelId is asked with the effort $effort as it takes it", async (given) => {
  const { service, modelId, effort: reasoningEffort } = given;
  const { provider } = await createStart(onTestFinished)(service);
  const parts = await Array.fromAsync(provider.streamStep(ask({ modelId, reasoningEffort })));
  expect(errorsOf(parts)).toEqual([]);
  expect(textOf(parts)).toContain("All is well");
});
