import type { ModelService } from "@parley/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { ask, limits, secret } from "../../testing/called-service.ts";
import { startFakeService } from "../../testing/fake-service.ts";
import { type PromptMessage, textParts } from "../prompt-parts.ts";
import type { StepRequest } from "../provider.ts";
import { createServiceProvider } from "./service-provider.ts";

const cacheScope = "agent conversation";
const instructions: PromptMessage = {
  role: "system",
  parts: textParts("Be kind. ".repeat(200)),
  isPinned: true,
};
const asked = (text: string): PromptMessage => ({ role: "user", parts: textParts(text) });
const said = (text: string): PromptMessage => ({ role: "assistant", parts: textParts(text) });
const tools = ["look", "find"].map((name) => {
  return { name, description: name, inputSchema: { type: "object" } };
});

async function send(id: ModelService, modelId: string, given: Partial<StepRequest>) {
  const service = await startFakeService({ apiKey: secret });
  onTestFinished(service.close);
  const access = { apiKey: secret, baseUrl: `${service.url}/${id}/v1` };
  const provider = createServiceProvider(id, access, limits);
  const parts = await Array.fromAsync(provider.streamStep(ask({ modelId, ...given })));
  expect(parts.filter(({ type }) => type === "error")).toEqual([]);
  return service.requests[0]!.body;
}

const KEY = /^[0-9a-f]{32}$/;
/** What each service is sent. */
const services: [ModelService, string, { key: boolean; breakpoints: number }][] = [
  ["openai", "gpt-5", { key: true, breakpoints: 0 }],
  ["anthropic", "claude-sonnet-4-5", { key: false, breakpoints: 2 }],
  ["google_ai_studio", "gemini-2.5-flash", { key: false, breakpoints: 0 }],
  ["openai_compatible", "llama", { key: false, breakpoints: 0 }],
  ["deepseek", "deepseek-chat", { key: false, breakpoints: 0 }],
  ["fireworks", "kimi-k2", { key: true, breakpoints: 0 }],
  ["mistral", "mistral-large-latest", { key: true, breakpoints: 0 }],
  ["xai", "grok-4", { key: true, breakpoints: 0 }],
];
const breakpointsOf = (body: unknown) => JSON.stringify(body).split('"cache_control"').length - 1;

describe.each(services)("a request of %s", (id, modelId, { key, breakpoints }) => {
  const prompt = [instructions, asked("Hi")];

  it("has what its service needs to find the prompt in its cache", async () => {
    const body = await send(id, modelId, { prompt, cacheScope });
    expect(KEY.test(String(body["prompt_cache_key"]))).toBe(key);
    expect(breakpointsOf(body)).toBe(breakpoints);
    expect(JSON.stringify(body)).not.toContain(cacheScope);
    expect(body).toEqual(await send(id, modelId, { prompt, cacheScope }));
  });

  it("is the same as without a cache if it is too short for one, or belongs to no conversation", async () => {
    const short = { prompt: [asked("Hi")] };
    const plain = await send(id, modelId, short);
    expect(await send(id, modelId, { ...short, cacheScope })).toEqual(plain);
    const body = await send(id, modelId, { prompt });
    expect(breakpointsOf(body)).toBe(0);
    expect(body["prompt_cache_key"]).toBeUndefined();
  });
});

it("keys are of one agent and conversation", async () => {
  const keys = await Promise.all(
    [cacheScope, cacheScope, "another"].map(async (scope) => {
      const body = await send("openai", "gpt-5", { prompt: [instructions], cacheScope: scope });
      return body["prompt_cache_key"];
    }),
  );
  expect(new Set(keys).size).toBe(2);
});

describe("breakpoints of Anthropic", () => {
  const markedOf = (body: Record<string, unknown>) => {
    const { tools: sent = [], system = [], messages = [] } = body;
    const isMarked = (block: object) => "cache_control" in block;
    return {
      tools: (sent as { name: string }[]).filter(isMarked).map(({ name }) => name),
      system: (system as object[]).filter(isMarked).length,
      messages: (messages as { content: { text?: string; content?: string }[] }[])
        .flatMap(({ content }) => content)
        .filter(isMarked)
        .map(({ text, content }) => text ?? content),
    };
  };
  const model = "claude-sonnet-4-5";

  it("stand after the system prompt, and where the newest requests ended", async () => {
    const prompt = [
      instructions,
      ...["1", "2", "3"].flatMap((number) => [asked(`Q${number}`), said(`A${number}`)]),
      asked("Q4"),
    ];
    const first = await send("anthropic", model, { prompt, tools, cacheScope });
    expect(markedOf(first)).toEqual({ tools: [], system: 1, messages: ["Q2", "Q3", "Q4"] });
    const call = { name: "look", params: {}, step: 0 };
    const second = await send("anthropic", model, {
      prompt,
      tools,
      cacheScope,
      step: 1,
      finishedSteps: [{ step: 0, content: "I look" }],
      finishedCalls: [
        { id: "call_1", output: "a lake", ...call },
        { id: "call_2", output: "a hill", ...call },
      ],
    });
    expect(markedOf(second)).toEqual({ tools: [], system: 1, messages: ["Q3", "Q4", "a hill"] });
  });

  it("stand after the tools if there is no system prompt", async () => {
    const prompt = [asked("Q1 ".repeat(500).trim())];
    const body = await send("anthropic", model, { prompt, tools, cacheScope });
    expect(markedOf(body)).toMatchObject({ tools: ["find"], system: 0 });
    expect(markedOf(body).messages).toHaveLength(1);
  });
});
