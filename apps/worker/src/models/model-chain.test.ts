import type { ModelProvider, StepPart, StepRequest } from "@parley/agent";
import type { ModelPair } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { createModelChain, type ModelChain, type ModelLink } from "./model-chain.ts";

const outage: StepPart = {
  type: "error",
  code: "provider_unavailable",
  message: "",
  isOutage: true,
};
const refusal: StepPart = { type: "error", code: "provider_error", message: "" };
const usage: StepPart = { type: "usage", inputTokens: 1, outputTokens: 2 };
const text = (value: string): StepPart => ({ type: "text", text: value });
const pair = (providerId: string): ModelPair => ({ providerId, modelId: `${providerId}-1` });
const model = (providerId: string): StepPart => ({ type: "model", model: pair(providerId) });
const passedOver = (providerId: string, given: object = {}): StepPart => ({
  type: "passed_over",
  passedOver: { model: pair(providerId), reason: "provider_unavailable", ...given },
});
const call: StepPart = { type: "call", call: { id: "c", name: "n", params: {} } };

const request: StepRequest = {
  modelId: "",
  temperature: 1,
  prompt: [],
  tools: [],
  finishedSteps: [],
  finishedCalls: [],
  step: 0,
  script: null,
  prefix: { text: "", reasoning: "" },
  signal: new AbortController().signal,
};

/** A chain of the providers that give these parts, the first one the agent's own. */
const chainOf = (
  given: Readonly<Record<string, readonly StepPart[]>>,
  parts: Partial<ModelChain> = {},
) => {
  const requests: (StepRequest & { providerId: string })[] = [];
  const passedOver: string[] = [];
  const links = Object.entries(given).map(([providerId, played]): ModelLink => {
    const provider: ModelProvider = {
      canContinue: providerId === "simulated",
      countsTokens: false,
      async *streamStep(asked) {
        requests.push({ ...asked, providerId });
        yield* played;
      },
    };
    const about = { provider, contextTokens: 1000, takes: [] };
    return { ...pair(providerId), ...about, reasoningEffort: "high" };
  });
  const provider = createModelChain({
    own: pair(Object.keys(given)[0] ?? ""),
    links,
    circuits: { admits: () => true },
    readKey: async ({ providerId }) => ({ apiKey: `key of ${providerId}` }),
    preparePrompt: async () => ({ prompt: [], finishedCalls: [] }),
    onPassedOver: ({ providerId }, reason) => void passedOver.push(`${providerId} ${reason}`),
    ...parts,
  });
  const play = (asked: Partial<StepRequest> = {}) =>
    Array.fromAsync(provider.streamStep({ ...request, ...asked }));
  return { provider, play, requests, passedOver };
};

describe("a chain of models", () => {
  it("gives the parts of the agent's own model as they are", async () => {
    const { play, requests, ...chain } = chainOf({ openai: [usage, text("Hi")], xai: [] });
    expect(await play()).toEqual([usage, text("Hi")]);
    expect(chain.passedOver).toEqual([]);
    expect(requests).toMatchObject([
      { providerId: "openai", apiKey: "key of openai", hasFallback: true, modelId: "openai-1" },
    ]);
  });

  it("keeps of a model that failed what its calls were billed, and names the one that answers", async () => {
    const chain = chainOf({
      openai: [usage, { type: "unreadable_usage" }, usage, text(""), outage],
      xai: [outage],
      mistral: [text("Hi"), usage],
    });
    const { play, requests } = chain;
    expect(await play()).toEqual([
      passedOver("openai", { inputTokens: 2, outputTokens: 4 }),
      passedOver("xai"),
      model("mistral"),
      text("Hi"),
      usage,
    ]);
    expect(chain.passedOver).toEqual(["openai provider_unavailable", "xai provider_unavailable"]);
    expect(requests.map(({ hasFallback }) => hasFallback)).toEqual([true, true, false]);
  });

  it.each([
    ["text", text("Hi")],
    ["reasoning", { type: "reasoning", text: "Hm" } as const],
    ["a call", call],
  ])("ends as its model ends once it has published %s", async (_name, part) => {
    const { play, requests } = chainOf({ openai: [part, outage], xai: [text("no")] });
    expect(await play()).toEqual([part, outage]);
    expect(requests).toHaveLength(1);
  });

  it("ends with a refusal, and names the model that refused", async () => {
    const { play } = chainOf({ openai: [outage], xai: [usage, refusal], mistral: [text("no")] });
    expect(await play()).toEqual([passedOver("openai"), model("xai"), usage, refusal]);
  });

  it("ends with the failure of its last model", async () => {
    const { play } = chainOf({ openai: [outage], xai: [usage, outage] });
    expect(await play()).toEqual([passedOver("openai"), model("xai"), usage, outage]);
  });

  it("ends where a credential cannot be read: another model does not hide that", async () => {
    const key = { code: "provider_auth_error", message: "No", metadata: null };
    const { play, requests } = chainOf({ openai: [], xai: [] }, { readKey: async () => key });
    expect(await play()).toEqual([{ type: "error", code: key.code, message: key.message }]);
    expect(requests).toEqual([]);
  });

  it("asks models with an open circuit last, and all of them if need be", async () => {
    const admits = ({ providerId }: { providerId: string }) => providerId === "xai";
    const { play, requests, ...chain } = chainOf(
      { openai: [text("Hi")], mistral: [text("no")], xai: [outage] },
      { circuits: { admits } },
    );
    const reason = "circuit_open";
    expect(await play()).toEqual([
      passedOver("openai", { reason }),
      passedOver("mistral", { reason }),
      passedOver("xai"),
      text("Hi"),
    ]);
    expect(requests.map(({ providerId }) => providerId)).toEqual(["xai", "openai"]);
    expect(chain.passedOver).toEqual([
      "openai circuit_open",
      "mistral circuit_open",
      "xai provider_unavailable",
    ]);
  });

  it("gives each model only what itself needs back of earlier steps", async () => {
    const finishedSteps = [
      { step: 0, content: "", replay: "of openai" },
      { step: 1, content: "", replay: "of anthropic", model: pair("anthropic") },
    ];
    const { play, requests } = chainOf({ openai: [outage], anthropic: [outage], xai: [] });
    await play({ finishedSteps });
    const replays = requests.map((asked) => asked.finishedSteps.map(({ replay }) => replay));
    expect(replays).toEqual([
      ["of openai", undefined],
      [undefined, "of anthropic"],
      [undefined, undefined],
    ]);
    // Anthropic refuses to reason after calls of others.
    expect(requests.map(({ reasoningEffort }) => reasoningEffort)).toEqual([
      "high",
      undefined,
      "high",
    ]);
  });

  it("can continue a published text only as the agent's own model, asked first", () => {
    const { provider } = chainOf({ simulated: [], xai: [] });
    expect(provider.canContinue).toBe(true);
    const disabled = chainOf({ simulated: [], xai: [] }, { own: pair("mistral") });
    expect(disabled.provider.canContinue).toBe(false);
    expect(chainOf({ xai: [], simulated: [] }).provider.canContinue).toBe(false);
  });
});
