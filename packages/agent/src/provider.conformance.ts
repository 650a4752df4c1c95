import type { SimulatedScript } from "@parley/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { textParts } from "./prompt-parts.ts";
import type { ModelProvider, StepPart, StepRequest } from "./provider.ts";

/** A provider whose model plays a script. */
export interface PlayedProvider {
  readonly provider: ModelProvider;
  readonly modelId: string;
  /** Resolves when no call is in progress. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const text =
  '  Grüße \u{1F600}\u{1F9D1}\u200D\u{1F680},\n\ntwo lines: "quoted" \\ data: x\r\n\u2028 and the end \u{10FFFF} ';
const script: SimulatedScript = {
  tokenDelayMs: 0,
  steps: [
    {
      reasoning: "Let me look: {{message}}. ",
      text,
      toolCalls: [
        { name: "look", params: { at: { deep: [1, null, "\u{1F600}", '"\\'] } } },
        { name: "ask", params: {} },
      ],
    },
    { text: "Found {{result}}." },
  ],
};
const tools = ["look", "ask"].map((name) => ({
  name,
  description: `Will ${name}`,
  inputSchema: { type: "object", properties: { at: { type: "object" } } },
}));

/** The rules of the port: what every model provider does. */
export function describeProvider(
  name: string,
  play: (script: SimulatedScript) => Promise<PlayedProvider>,
  given: { readonly reasons: boolean; readonly counts: boolean },
): void {
  describe(`the provider of ${name}`, () => {
    const start = async (parts: Partial<StepRequest> = {}, played = script) => {
      const { provider, modelId, idle, close } = await play(played);
      onTestFinished(close);
      const request: StepRequest = {
        modelId,
        temperature: 1,
        prompt: [
          { role: "system", parts: textParts("Be kind"), isPinned: true },
          { role: "user", parts: textParts("Older") },
          { role: "assistant", parts: textParts("Yes") },
          { role: "system", parts: textParts("<attachment>") },
          { role: "user", parts: textParts("Hi") },
        ],
        tools,
        finishedSteps: [],
        finishedCalls: [],
        step: 0,
        script: played,
        prefix: { text: "", reasoning: "" },
        signal: new AbortController().signal,
        ...parts,
      };
      return { stream: provider.streamStep(request), idle, provider, request };
    };
    const joined = (parts: readonly StepPart[], type: "text" | "reasoning") =>
      parts.map((part) => (part.type === type ? part.text : "")).join("");
    const callsOf = (parts: readonly StepPart[]) =>
      parts.flatMap((part) => (part.type === "call" ? part.call : []));

    it("gives reasoning, then text, to the last unit, then the calls with their parameters", async () => {
      const { stream } = await start();
      const parts = await Array.fromAsync(stream);
      expect(joined(parts, "text")).toBe(text);
      expect(joined(parts, "reasoning")).toBe(given.reasons ? "Let me look: Hi. " : "");
      const types = parts.map(({ type }) => type);
      expect(types.lastIndexOf("reasoning")).toBeLessThan(types.indexOf("text"));
      expect(types.lastIndexOf("text")).toBeLessThan(types.indexOf("call"));
      const [look, ask] = callsOf(parts);
      expect(look).toMatchObject({ name: "look", params: script.steps[0]?.toolCalls?.[0]?.params });
      expect(ask).toMatchObject({ name: "ask", params: {} });
      expect(look?.id).not.toBe(ask?.id);
      expect(types).not.toContain("error");
      expect(types.includes("usage")).toBe(given.counts);
    });

    it("gets the calls of the previous step and their outputs", async () => {
      const { stream, provider, request } = await start();
      const first = await Array.fromAsync(stream);
      const outputs: Record<string, string> = { look: "a lake", ask: "42 \u{1F600}" };
      const finishedCalls = callsOf(first).map(({ id, name: called, params }) => {
        return { id, name: called, params, output: outputs[called] ?? "", step: 0 };
      });
      const replay = first.find((part) => part.type === "replay")?.replay;
      const finishedSteps = [{ step: 0, content: joined(first, "text"), replay }];
      const second = provider.streamStep({ ...request, step: 1, finishedSteps, finishedCalls });
      const parts = await Array.fromAsync(second);
      expect(parts.filter((part) => part.type === "error")).toEqual([]);
      expect(joined(parts, "text")).toBe("Found 42 \u{1F600}.");
    });

    it("gives a failure as a value, and as its last part", async () => {
      const failing = { steps: [{ error: { code: "broken", message: "Down" } }], tokenDelayMs: 0 };
      const { stream } = await start({}, failing);
      const parts = await Array.fromAsync(stream);
      expect(parts.at(-1)).toMatchObject({ type: "error", code: expect.any(String) });
      expect(parts.filter(({ type }) => type === "error")).toHaveLength(1);
    });

    it("stops at once when its signal aborts, and throws", async () => {
      const abort = new AbortController();
      const words = { steps: [{ text: "word ".repeat(1000) }], tokenDelayMs: 20 };
      const { stream, idle } = await start({ signal: abort.signal }, words);
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      abort.abort();
      await expect(
        (async () => {
          while ((await iterator.next()).done !== true);
        })(),
      ).rejects.toThrow("aborted");
      await idle();
    });

    it("ends its call when the consumer stops", async () => {
      const words = { steps: [{ text: "word ".repeat(1000) }], tokenDelayMs: 20 };
      const { stream, idle } = await start({}, words);
      for await (const part of stream) if (part.type === "text") break;
      expect(await idle()).toBeUndefined();
    });
  });
}
