import type { SimulatedScript } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { textParts } from "./prompt-parts.ts";
import type { StepPart, StepRequest } from "./provider.ts";
import { simulatedProvider } from "./simulated.ts";

const script: SimulatedScript = {
  tokenDelayMs: 0,
  steps: [
    {
      reasoning: "Let me  think\nabout {{message}}. ",
      text: "  You said {{message}},\n\nand {{message}} again \u{1F600} ",
      toolCalls: [
        { name: "look", params: { at: 1 }, output: "seen" },
        { name: "ask", params: {}, output: "told" },
      ],
    },
    { text: "Sorry, ", error: { code: "broken", message: "It broke" } },
  ],
};
const request = (parts: Partial<StepRequest> = {}): StepRequest => ({
  modelId: "simulated-1",
  temperature: 1,
  prompt: [
    { role: "user", parts: textParts("older") },
    { role: "user", parts: textParts("$& and $1") },
    { role: "assistant", parts: textParts("ignored") },
  ],
  tools: [],
  finishedSteps: [],
  finishedCalls: [],
  step: 0,
  script,
  prefix: { text: "", reasoning: "" },
  signal: new AbortController().signal,
  ...parts,
});
const play = (parts: Partial<StepRequest> = {}): Promise<StepPart[]> =>
  Array.fromAsync(simulatedProvider.streamStep(request(parts)));
const joined = (parts: readonly StepPart[], type: "text" | "reasoning") =>
  parts.map((part) => (part.type === type ? part.text : "")).join("");

describe("the simulated provider", () => {
  it("plays reasoning, text and calls of a step, filled in with the last message", async () => {
    expect(await play()).toEqual([
      { type: "reasoning", text: "Let me  think\nabout $& and $1. " },
      { type: "text", text: "  You said $& and $1,\n\nand $& and $1 again \u{1F600} " },
      {
        type: "call",
        call: { id: "call_0_0", name: "look", params: { at: 1 }, output: "seen" },
      },
      { type: "call", call: { id: "call_0_1", name: "ask", params: {}, output: "told" } },
    ]);
  });

  it("plays a failure as a value, after the text of its step", async () => {
    expect(await play({ step: 1 })).toEqual([
      { type: "text", text: "Sorry, " },
      { type: "error", code: "broken", message: "It broke" },
    ]);
  });

  it("plays nothing after the last step of the script", async () => {
    expect(await play({ step: 2 })).toEqual([]);
  });

  it("repeats the message without a script", async () => {
    const prompt = [{ role: "user" as const, parts: textParts("Hi") }];
    expect(await play({ script: null, prompt })).toEqual([{ type: "text", text: "You said: Hi" }]);
  });

  it("gives the same parts for the same script and prompt", async () => {
    expect(await play()).toEqual(await play());
    const slow = { ...script, tokenDelayMs: 0.01 };
    expect(await play({ script: slow })).toEqual(await play({ script: slow }));
  });

  it("streams a script with pauses word by word, and loses nothing of its text", async () => {
    const parts = await play({ script: { ...script, tokenDelayMs: 0.01 } });
    const whole = await play();
    expect(parts.length).toBeGreaterThan(whole.length + 10);
    for (const type of ["reasoning", "text"] as const) {
      expect(joined(parts, type)).toBe(joined(whole, type));
    }
  });

  it.each([0, 0.01])(
    "continues after every prefix with exactly the rest (pause %d ms)",
    async (tokenDelayMs) => {
      const paused = { ...script, tokenDelayMs };
      const whole = await play();
      const reasoning = joined(whole, "reasoning");
      const text = joined(whole, "text");
      const prefixes = [
        ...Array.from(reasoning, (_, length) => ({
          reasoning: reasoning.slice(0, length),
          text: "",
        })),
        ...Array.from({ length: text.length + 1 }, (_, length) => ({
          reasoning,
          text: text.slice(0, length),
        })),
      ];
      for (const prefix of prefixes) {
        const rest = await play({ prefix, script: paused });
        expect(prefix.reasoning + joined(rest, "reasoning")).toBe(reasoning);
        expect(prefix.text + joined(rest, "text")).toBe(text);
        expect(rest.filter((part) => part.type === "call")).toHaveLength(2);
      }
    },
  );

  it("stops at once when its signal aborts", async () => {
    const abort = new AbortController();
    const slow = { ...script, tokenDelayMs: 60_000 };
    const played = play({ script: slow, signal: abort.signal });
    abort.abort();
    await expect(played).rejects.toThrow("aborted");
    await expect(play({ signal: abort.signal })).rejects.toThrow("aborted");
  });
});
