import type { Span } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { attributesOf, nameOf } from "./span-names.ts";

const base = { id: "1".repeat(16), parentId: null, startedAt: 1, endedAt: 2 } as const;
const root: Span = {
  ...base,
  kind: "answer",
  name: "Clerk",
  status: "errored",
  error: { code: "provider_error", message: "no" },
};
const step: Span = {
  ...base,
  kind: "step",
  name: "Step 1",
  status: "succeeded",
  step: 0,
  model: { providerId: "mistral", modelId: "large" },
  firstTokenMs: 7,
  tokens: {
    inputTokens: 5,
    outputTokens: 3,
    cachedInputTokens: 2,
    cacheWriteTokens: 1,
    reasoningTokens: 0,
  },
  cost: { amount: "0.25", currency: "USD", unpricedCalls: 0 },
};
const call: Span = {
  ...base,
  kind: "call",
  name: "pay",
  status: "cancelled",
  step: 0,
  actionId: "act_1",
  toolName: "pay",
  params: { text: '{"euros":7}', isCut: false },
  output: { text: '{"paid":7}', isCut: false },
};
const wait: Span = {
  ...base,
  kind: "wait",
  name: "Needs approval",
  status: "succeeded",
  waitsFor: "approval",
};

const plain = { isGenAi: false, sendsContent: false };
const genAi = { isGenAi: true, sendsContent: false };

describe("the names of spans", () => {
  it.each([
    [root, "answer Clerk", "invoke_agent Clerk"],
    [step, "step large", "chat large"],
    [call, "call pay", "execute_tool pay"],
    [wait, "wait approval", "wait approval"],
  ])("%#", (span, own, convention) => {
    expect(nameOf(span, plain)).toBe(own);
    expect(nameOf(span, genAi)).toBe(convention);
  });
});

describe("the attributes of spans", () => {
  it("are Parley's own, and none of the conventions, unless they are asked for", () => {
    const all = [root, step, call, wait].flatMap((span) =>
      Object.keys(attributesOf(span, "r", plain)),
    );
    expect(all.filter((name) => !name.startsWith("parley.") && name !== "error.type")).toEqual([]);
    expect(attributesOf(step, "r", plain)).toEqual({
      "parley.span.kind": "step",
      "parley.run.id": "r",
      "parley.step": 0,
      "parley.first_token_ms": 7,
      "parley.model.provider": "mistral",
      "parley.model.id": "large",
      "parley.usage.input_tokens": 5,
      "parley.usage.output_tokens": 3,
      "parley.usage.cached_input_tokens": 2,
      "parley.usage.cache_write_tokens": 1,
      "parley.usage.reasoning_tokens": 0,
      "parley.cost.amount": "0.25",
      "parley.cost.currency": "USD",
    });
  });

  it("follow the conventions for generative AI where they have a name", () => {
    expect(attributesOf(step, "r", genAi)).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "mistral_ai",
      "gen_ai.request.model": "large",
      "gen_ai.usage.input_tokens": 5,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.usage.cache_read.input_tokens": 2,
      "gen_ai.usage.cache_creation.input_tokens": 1,
    });
    expect(attributesOf(root, "r", genAi)).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "Clerk",
      "error.type": "provider_error",
    });
    expect(attributesOf(call, "r", genAi)).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "pay",
      "gen_ai.tool.call.id": "act_1",
      "parley.cancelled": true,
    });
  });

  it("have content only if it is asked for", () => {
    const silent = JSON.stringify([attributesOf(call, "r", plain), attributesOf(call, "r", genAi)]);
    expect(silent).not.toContain("euros");
    expect(silent).not.toContain("paid");
    expect(attributesOf(call, "r", { isGenAi: true, sendsContent: true })).toMatchObject({
      "parley.params": '{"euros":7}',
      "parley.output": '{"paid":7}',
      "gen_ai.tool.call.arguments": '{"euros":7}',
      "gen_ai.tool.call.result": '{"paid":7}',
    });
  });
});
