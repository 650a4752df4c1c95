import { describe, expect, it } from "vitest";
import { countFitting } from "./count-thread.ts";
import { buildPrompt, fitPrompt, type HistoryMessage } from "./prompt.ts";
import { textOf, textParts } from "./prompt-parts.ts";
import type { StepRequest } from "./provider.ts";

const user = (content: string) => ({ type: "user_message", content });
const agent = (content: string) => ({ type: "agent_message", content });
const build = (instructions: string | null, history: Parameters<typeof buildPrompt>[1]) =>
  buildPrompt({ instructions }, history, 400_000);

describe("buildPrompt", () => {
  it("gives instructions, attachments, questions and answers in their roles and order", () => {
    const contentType = "text/plain";
    const fragment = { type: "content_fragment", title: 'a "b"', contentType, content: "text" };
    expect(build("Be kind", [fragment, user("Hi"), agent("Hello"), user("Bye")])).toEqual([
      { role: "system", parts: textParts("Be kind"), isPinned: true },
      {
        role: "system",
        parts: textParts('<attachment title="a \\"b\\"" type="text/plain">\ntext'),
      },
      { role: "user", parts: textParts("Hi") },
      { role: "assistant", parts: textParts("Hello") },
      { role: "user", parts: textParts("Bye") },
    ]);
  });

  it("has no instructions if the agent has none", () => {
    expect(build(null, [user("Hi")])).toEqual([{ role: "user", parts: textParts("Hi") }]);
    expect(build(null, [])).toEqual([]);
  });

  it.each([
    { name: "fits", sizes: [100_000, 300_000], kept: 2 },
    { name: "is one character too long", sizes: [100_001, 300_000], kept: 1 },
    { name: "has one message that is too long by itself", sizes: [1, 500_000], kept: 1 },
    { name: "has a long message in the middle", sizes: [1, 399_999, 2], kept: 1 },
    { name: "is many messages", sizes: Array.from({ length: 50 }, () => 10_000), kept: 40 },
  ])("keeps the newest messages of a history that $name", ({ sizes, kept }) => {
    const history = sizes.map((size) => user("x".repeat(size)));
    const prompt = build("Be kind", history);
    expect(prompt[0]?.role).toBe("system");
    expect(prompt.slice(1).map((message) => textOf(message).length)).toEqual(sizes.slice(-kept));
  });
});

describe("fitPrompt", () => {
  const fit = (
    sizes: readonly number[],
    contextTokens: number,
    more: Partial<StepRequest> = {},
  ) => {
    // Words of a token each.
    const history = sizes.map((size) => user(" hello".repeat(size)));
    const prompt = buildPrompt({ instructions: "Be kind" }, history, 1e9);
    const request: StepRequest = {
      modelId: "model",
      temperature: 1,
      prompt,
      tools: [],
      finishedSteps: [],
      finishedCalls: [],
      step: 0,
      script: null,
      prefix: { text: "", reasoning: "" },
      signal: new AbortController().signal,
      ...more,
    };
    return fitPrompt(request, contextTokens, async (given) => countFitting(given));
  };
  const sizesOf = (prompt: Awaited<ReturnType<typeof fit>>) =>
    prompt.slice(1).map((message) => textOf(message).length / " hello".length);

  it.each([
    { name: "what fits by its bytes alone", sizes: [10, 20], context: 1000, kept: [10, 20] },
    { name: "what fits by its tokens", sizes: [300, 300], context: 1000, kept: [300, 300] },
    { name: "the newest that fit", sizes: [50, 600, 300, 300], context: 1000, kept: [300, 300] },
    { name: "the newest, however long", sizes: [1, 5000], context: 1000, kept: [5000] },
  ])("keeps $name", async ({ sizes, context, kept }) => {
    expect(sizesOf(await fit(sizes, context))).toEqual(kept);
  });

  it("leaves room for tools and for the steps so far", async () => {
    const output = " hello".repeat(400);
    const call = { id: "1", name: "look", params: {}, output, step: 0 };
    const more = { finishedCalls: [call], finishedSteps: [{ step: 0, content: "" }] };
    expect(sizesOf(await fit([200, 200], 1000))).toEqual([200, 200]);
    expect(sizesOf(await fit([200, 200], 1000, more))).toEqual([200]);
  });

  describe("an earlier answer with calls", () => {
    const answer = (output: string, replay?: unknown) => ({
      type: "agent_message",
      content: "",
      called: {
        finishedSteps: [
          { step: 0, content: "", replay },
          { step: 1, content: "Done" },
        ],
        finishedCalls: ["a", "b"].map((id) => ({ id, name: "look", params: {}, output, step: 0 })),
      },
    });
    const rolesOf = async (history: HistoryMessage[], context: number) => {
      const prompt = buildPrompt({ instructions: null }, history, 1e9);
      return (await fit([], context, { prompt })).map(({ role }) => role);
    };
    const size = (tokens: number) => " hello".repeat(tokens);

    it.each([
      { name: "whole", tokens: 100, context: 1000, roles: "user assistant tool assistant user" },
      { name: "not at all if its results do not fit", tokens: 400, context: 1000, roles: "user" },
    ])("is there $name", async ({ tokens, context, roles }) => {
      const history = [user("Hi"), answer(size(tokens)), user("And?")];
      expect((await rolesOf(history, context)).join(" ")).toBe(roles);
    });

    it("counts with what its provider is given back", async () => {
      const given = (replay?: unknown) => [user("Hi"), answer("", replay), user("And?")];
      expect(await rolesOf(given(), 1000)).toHaveLength(5);
      expect(await rolesOf(given({ reasoning: size(900) }), 1000)).toHaveLength(1);
    });

    it("goes with its question, which services want first", () => {
      const history = [user("x".repeat(100)), answer("y".repeat(10)), user("And?")];
      expect(build(null, history)).toHaveLength(5);
      expect(buildPrompt({ instructions: null }, history, 60)).toHaveLength(1);
    });
  });

  it("counts text that the tokenizer cannot split", async () => {
    const prompt = await fit([1, 1], 100_000, {
      prompt: ["a".repeat(500_000), "b"].map((content) => ({
        role: "user" as const,
        parts: textParts(content),
      })),
    });
    expect(prompt).toHaveLength(2);
  });
});
