import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { keptReplay } from "./kept-replay.ts";
import { asServiceTakes } from "./sent-calls.ts";

const called = (...ids: string[]): LanguageModelV4Message[] => [
  {
    role: "assistant",
    content: ids.map((toolCallId) => ({
      type: "tool-call",
      toolCallId,
      toolName: "look",
      input: {},
    })),
  },
  {
    role: "tool",
    content: ids.map((toolCallId) => {
      return {
        type: "tool-result",
        toolCallId,
        toolName: "look",
        output: { type: "text", value: "" },
      };
    }),
  },
];
const said = { role: "assistant", content: [{ type: "text", text: "Hi" }] } as const;
const idsOf = (prompt: LanguageModelV4Prompt) =>
  prompt.map(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => ("toolCallId" in part ? part.toolCallId : [])),
  );

describe("the ids of calls", () => {
  it("stay as they are where the service takes them", () => {
    const prompt = [...called("functions.look:0", "call_1"), ...called("call_0")];
    expect(asServiceTakes("fireworks", prompt)).toEqual(prompt);
  });

  it.each([
    ["openai", ["call_0", "x".repeat(65)], /^.{1,64}$/],
    ["anthropic", ["functions.look:0", "call_0"], /^[\w-]+$/],
    ["mistral", ["call_0", "Ab3dE6gH9"], /^[a-zA-Z0-9]{9}$/],
  ] as const)(
    "are ones that %s takes, no two the same, and the results' too",
    (service, ids, form) => {
      const prompt = [...called(...ids), ...called(...ids), ...called("call_0", "call_0")];
      const sent = idsOf(asServiceTakes(service, prompt));
      const ofCalls = sent.filter((_, index) => index % 2 === 0);
      expect(sent.filter((_, index) => index % 2 === 1)).toEqual(ofCalls);
      expect(new Set(ofCalls.flat()).size).toBe(6);
      for (const id of ofCalls.flat()) expect(id).toMatch(form);
      // A prompt that goes on begins with the same.
      const longer = [...prompt, ...called("call_0")];
      expect(idsOf(asServiceTakes(service, longer)).slice(0, 6)).toEqual(sent);
    },
  );
});

it("Google is given answers that follow each other in one piece, calls and all", () => {
  const [calls, results] = called("1");
  const prompt: LanguageModelV4Prompt = [
    { ...said, content: [...said.content] },
    { ...said, content: [...said.content] },
    calls!,
    results!,
  ];
  const content = [said.content, said.content, calls!.content].flat() as object[];
  expect(asServiceTakes("google_ai_studio", prompt)).toEqual([
    { role: "assistant", content },
    results,
  ]);
  expect(asServiceTakes("openai", prompt)).toEqual(prompt);
});

it.each([
  ["what is signed", [{ text: "Hm", options: { a: { s: "1" } } }, { text: "So" }], {}, 1],
  ["signatures of calls", [{ text: "So" }], { call_0: { a: { s: "1" } } }, 0],
])("of a step, %s is kept for later turns", (_what, reasoning, calls, kept) => {
  expect(keptReplay({ reasoning, calls })).toEqual({ reasoning: reasoning.slice(0, kept), calls });
});

it.each([undefined, null, {}, { reasoning: [{ text: "So" }], calls: {} }])(
  "of %j nothing is kept",
  (replay) => {
    expect(keptReplay(replay)).toBeUndefined();
  },
);
