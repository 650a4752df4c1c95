import { expect, it, onTestFinished } from "vitest";
import { ask, createStart, errorsOf, wires } from "../../testing/called-service.ts";
import type { StepRequest } from "../provider.ts";

const tools = ["find", "look"].map((name) => ({
  name,
  description: `Will ${name}`,
  inputSchema: { type: "object" },
  strict: true,
}));

/** The body that each format has for a request. */
async function bodiesOf(parts: Partial<StepRequest>) {
  const bodies: Record<string, Record<string, unknown>> = {};
  for (const [id, modelId] of wires) {
    const { service, provider } = await createStart(onTestFinished)(id);
    const step = ask({ modelId, tools, ...parts });
    expect(errorsOf(await Array.fromAsync(provider.streamStep(step)))).toEqual([]);
    bodies[id] = service.requests[0]?.body ?? {};
  }
  return bodies;
}

const ofGoogle = (mode: string, names: object = {}) => ({
  toolConfig: { functionCallingConfig: { mode, ...names } },
});

it("lets the model decide by default", async () => {
  expect(await bodiesOf({})).toMatchObject({
    openai: { tool_choice: "auto" },
    openai_compatible: { tool_choice: "auto" },
    anthropic: { tool_choice: { type: "auto" } },
  });
});

it("requires a tool", async () => {
  expect(await bodiesOf({ toolChoice: "required" })).toMatchObject({
    openai: { tool_choice: "required" },
    openai_compatible: { tool_choice: "required" },
    anthropic: { tool_choice: { type: "any" } },
    google_ai_studio: ofGoogle("ANY"),
  });
});

it("requires one that is offered, and none that is not", async () => {
  expect(await bodiesOf({ toolChoice: { name: "look" } })).toMatchObject({
    openai: { tool_choice: { type: "function", name: "look" } },
    openai_compatible: { tool_choice: { type: "function", function: { name: "look" } } },
    anthropic: { tool_choice: { type: "tool", name: "look" } },
    google_ai_studio: ofGoogle("ANY", { allowedFunctionNames: ["look"] }),
  });
  expect(await bodiesOf({ toolChoice: { name: "other" } })).toMatchObject({
    openai: { tool_choice: "auto" },
    anthropic: { tool_choice: { type: "auto" } },
  });
});

it("asks for one call at once, for schemas that are enforced, and for few tokens", async () => {
  const bodies = await bodiesOf({ parallelToolCalls: false, maxOutputTokens: 77 });
  expect(bodies).toMatchObject({
    openai: {
      parallel_tool_calls: false,
      max_output_tokens: 77,
      tools: [{ name: "find", strict: true }, { name: "look" }],
    },
    openai_compatible: {
      max_tokens: 77,
      tools: [{ function: { name: "find", strict: true } }, { function: { name: "look" } }],
    },
    anthropic: { tool_choice: { type: "auto", disable_parallel_tool_use: true }, max_tokens: 77 },
    google_ai_studio: { generationConfig: { maxOutputTokens: 77 } },
  });
});

const anthropic = ["claude-sonnet-4-5", "claude-haiku-5-5", "claude-opus-5-5"] as const;
const called = {
  step: 1,
  finishedSteps: [{ step: 0, content: "" }],
  finishedCalls: [{ id: "c1", name: "look", params: {}, output: "Seen", step: 0 }],
} satisfies Partial<StepRequest>;

/** What Anthropic is sent for the steps of a turn: the choice, and whether the model is to think. */
async function sentTo(modelId: string, toolChoice: StepRequest["toolChoice"]) {
  const { service, provider } = await createStart(onTestFinished)("anthropic");
  for (const step of [{}, called] satisfies Partial<StepRequest>[]) {
    const request = ask({ modelId, tools, toolChoice, reasoningEffort: "high", ...step });
    expect(errorsOf(await Array.fromAsync(provider.streamStep(request)))).toEqual([]);
  }
  return service.requests.map(({ body }) => {
    const { tool_choice, thinking } = body as {
      tool_choice: { type: string };
      thinking?: { type: string };
    };
    return [tool_choice.type, thinking?.type ?? "disabled"];
  });
}

it("lets Anthropic's models think in turns that are free", async () => {
  expect(await Promise.all(anthropic.map((id) => sentTo(id, undefined)))).toEqual([
    [
      ["auto", "enabled"],
      ["auto", "enabled"],
    ],
    [
      ["auto", "adaptive"],
      ["auto", "adaptive"],
    ],
    [
      ["auto", "adaptive"],
      ["auto", "adaptive"],
    ],
  ]);
});

it.each<[string, StepRequest["toolChoice"], string]>([
  ["a tool is required", "required", "any"],
  ["one is", { name: "look" }, "tool"],
])(
  "lets Anthropic's models think in no step of a turn in which %s",
  async (_what, choice, type) => {
    const free = [
      [type, "disabled"],
      ["auto", "disabled"],
    ];
    expect(await sentTo("claude-sonnet-4-5", choice)).toEqual(free);
    expect(await sentTo("claude-haiku-5-5", choice)).toEqual(free);
  },
);

it("lets Anthropic's models think where the chosen tool is not offered", async () => {
  const [first] = await sentTo("claude-sonnet-4-5", { name: "other" });
  expect(first).toEqual(["auto", "enabled"]);
});

it.each(["claude-opus-5-5", "claude-sonnet-5-5"])(
  "asks %s, which always thinks, without a choice",
  async (modelId) => {
    const [first] = await sentTo(modelId, "required");
    expect(first?.[0]).toBe("auto");
  },
);

it("gives Anthropic its own tool, and others a function", async () => {
  const memory = {
    name: "memory",
    description: "Remembers",
    inputSchema: { type: "object" },
    anthropic: "memory_20250818",
  } as const;
  const bodies = await bodiesOf({ tools: [memory] });
  expect(bodies["anthropic"]).toMatchObject({
    tools: [{ type: "memory_20250818", name: "memory" }],
  });
  expect(bodies["openai_compatible"]).toMatchObject({
    tools: [{ type: "function", function: { name: "memory", description: "Remembers" } }],
  });
});
