import type { ModelService } from "@parley/schema";
import { expect, it, onTestFinished } from "vitest";
import { ask, createStart, secret, textOf } from "../../testing/called-service.ts";
import { startFakeService } from "../../testing/fake-service.ts";
import { createServiceProvider } from "./service-provider.ts";

const start = createStart(onTestFinished);
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const services: [ModelService, string][] = [
  ["openai", "gpt-5"],
  ["anthropic", "claude-sonnet-4-5"],
  ["google_ai_studio", "gemini-2.5-flash"],
  ["mistral", "mistral-large-latest"],
  ["fireworks", "accounts/fireworks/models/kimi-k2-instruct"],
  ["xai", "grok-4"],
];

async function open(id: ModelService) {
  const service = await startFakeService({ apiKey: secret });
  onTestFinished(service.close);
  service.script.steps = [{ text: '{"city":"Oslo"}' }];
  const access = { apiKey: secret, baseUrl: `${service.url}/${id}/v1` };
  return { service, provider: createServiceProvider(id, access) };
}

it.each(services)("%s is sent the schema that it enforces, strictly", async (id, modelId) => {
  const { service, provider } = await open(id);
  const answerFormat = { schema, isEnforced: true };
  const parts = await Array.fromAsync(provider.streamStep(ask({ modelId, answerFormat })));
  expect(textOf(parts)).toBe('{"city":"Oslo"}');
  expect(service.requests[0]?.answerFormat).toEqual(schema);
  const body = JSON.stringify(service.requests[0]?.body);
  expect(body).not.toContain('"strict":false');
  expect(body).not.toContain('"tools"');
});

it.each([...services, ["deepseek", "deepseek-chat"], ["openai_compatible", "llama"]] as const)(
  "%s is sent no schema that it does not enforce",
  async (id, modelId) => {
    const { service, provider } = await open(id);
    const answerFormat = { schema, isEnforced: false };
    await Array.fromAsync(provider.streamStep(ask({ modelId, answerFormat })));
    await Array.fromAsync(provider.streamStep(ask({ modelId })));
    const [first, second] = service.requests.map((one) => one.answerFormat);
    expect(first).toBe(id === "deepseek" ? "json" : undefined);
    expect(second).toBeUndefined();
    if (id === "deepseek") return;
    expect(service.requests[0]?.body).toEqual(service.requests[1]?.body);
  },
);

it.each([
  ["openai", "gpt-5"],
  ["anthropic", "claude-sonnet-4-5"],
  ["google_ai_studio", "gemini-2.5-flash"],
  ["openai_compatible", "llama"],
] as const)("a refusal of %s is one, and no answer", async (id, modelId) => {
  const { service, provider } = await start(id);
  service.faults.push({ kind: "withheld" });
  const answerFormat = { schema, isEnforced: id !== "openai_compatible" };
  const parts = await Array.fromAsync(provider.streamStep(ask({ modelId, answerFormat })));
  expect(parts.at(-1)).toMatchObject({ type: "error", code: "content_filtered" });
});
