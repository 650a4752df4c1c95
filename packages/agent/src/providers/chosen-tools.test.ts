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
