import { IMPORTED_TURNS_TYPE, type ImportedTurn } from "@parley/schema";
import { expect, it } from "vitest";
import { buildPrompt } from "./prompt.ts";

const fragment = (turns: readonly ImportedTurn[] | string, givesCalls = true) => ({
  type: "content_fragment",
  title: "Said before",
  contentType: IMPORTED_TURNS_TYPE,
  content: typeof turns === "string" ? turns : JSON.stringify(turns),
  givesCalls,
});
const asked = (content: string) => ({ type: "user_message", content });
const call = { id: "call_1", name: "find", params: { city: "Oslo" } };
const result = { id: "call_1", name: "find", output: "Rain" };
const textsOf = (history: Parameters<typeof buildPrompt>[1]) =>
  buildPrompt({ instructions: "Be kind" }, history, Infinity).map(({ role, parts }) => [
    role,
    ...parts.map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "result" ? `result ${part.id}` : part.type;
    }),
  ]);

it("what was said elsewhere are turns of the prompt, in their order", () => {
  const turns = [
    { role: "system" as const, text: "Speak like a pirate" },
    { role: "user" as const, text: "My name is Alice" },
    { role: "assistant" as const, text: "Hello", calls: [call] },
    { role: "tool" as const, results: [result] },
    { role: "assistant" as const, text: "Ahoy" },
  ];
  expect(textsOf([fragment(turns), asked("Who am I?")])).toEqual([
    ["system", "Be kind"],
    ["system", "Speak like a pirate"],
    ["user", "My name is Alice"],
    ["assistant", "Hello", "call"],
    ["tool", "result call_1"],
    ["assistant", "Ahoy"],
    ["user", "Who am I?"],
  ]);
});

it.each([
  ["calls without results", [{ role: "assistant" as const, text: "", calls: [call] }]],
  ["results without calls", [{ role: "tool" as const, results: [result] }]],
])("%s are left out, because services refuse them", (_name, turns) => {
  const said = textsOf([fragment(turns), asked("And?")]);
  expect(said).toEqual([
    ["system", "Be kind"],
    ["user", "And?"],
  ]);
});

it("a request without tools has calls as text", () => {
  const turns = [
    { role: "user" as const, text: "How is it?" },
    { role: "assistant" as const, text: "", calls: [call] },
    { role: "tool" as const, results: [result] },
  ];
  expect(textsOf([fragment(turns, false), asked("And?")]).slice(2)).toEqual([
    ["assistant", '[Called find with {"city":"Oslo"}]'],
    ["user", "[find returned: Rain]"],
    ["user", "And?"],
  ]);
});

it("a blank message after imported turns says nothing: these are answered", () => {
  const turns = [
    { role: "user" as const, text: "How is it?" },
    { role: "assistant" as const, text: "", calls: [call] },
    { role: "tool" as const, results: [result] },
  ];
  expect(textsOf([fragment(turns), asked(" ")]).at(-1)).toEqual(["tool", "result call_1"]);
});

it.each(["no JSON", "{}", '[{"role":"robot","text":"x"}]'])(
  "a fragment that holds %j is an attachment like others",
  (content) => {
    const [, said] = textsOf([fragment(content), asked("And?")]);
    expect(said?.[1]).toContain("<attachment");
  },
);
