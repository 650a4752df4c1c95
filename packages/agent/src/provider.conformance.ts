import type { SimulatedScript } from "@parley/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEach } from "./prompt-files.ts";
import { type FilePart, type PromptFile, textParts } from "./prompt-parts.ts";
import type { ModelProvider, StepPart, StepRequest } from "./provider.ts";
import { takesFilesOfResults } from "./providers/sent-files.ts";
import type { SentRequest } from "./providers/sent-request.ts";

/** A provider whose model plays a script. */
export interface PlayedProvider {
  readonly provider: ModelProvider;
  readonly modelId: string;
  /** Resolves when no call is in progress. */
  readonly idle: () => Promise<void>;
  /** The files that a service has seen in the last request, each as `seenAs` says. */
  readonly seen?: () => readonly string[];
  /** The body of the last request that a service has seen. */
  readonly received?: () => string | undefined;
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

const promptFile = (fileId: string, contentType: string, onRead: () => void): PromptFile => ({
  fileId,
  name: `${fileId}.bin`,
  contentType,
  sizeBytes: fileId.length,
  sha256: "",
  read: async () => {
    onRead();
    return Buffer.from(fileId);
  },
});
const asPart = (file: PromptFile): FilePart => ({
  type: file.contentType.startsWith("image/") ? "image" : "file",
  file,
});
/** A file as a service should have seen it. */
const seenAs = ({ contentType, fileId }: PromptFile) => `${contentType} ${fileId}`;

/** The rules of the port: what every model provider does. */
export function describeProvider(
  name: string,
  play: (script: SimulatedScript) => Promise<PlayedProvider>,
  given: {
    readonly reasons: boolean;
    readonly counts: boolean;
    /** Types of files that the service takes. */
    readonly takes: readonly string[];
  },
): void {
  describe(`the provider of ${name}`, () => {
    const start = async (parts: Partial<StepRequest> = {}, played = script) => {
      const { provider, modelId, idle, close, seen, received } = await play(played);
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
      return { stream: provider.streamStep(request), idle, provider, request, seen, received };
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

    it("sends the bytes of files, read when they are sent", async () => {
      let reads = 0;
      const files = given.takes.map((contentType, index) =>
        promptFile(`f${index}`, contentType, () => void reads++),
      );
      const deleted = promptFile("gone", "image/png", () => {});
      const openFiles: StepRequest["openFiles"] = async (all, signal) =>
        openEach(
          all.filter((file) => file !== deleted),
          signal,
        );
      const prompt: StepRequest["prompt"] = [
        { role: "user", parts: [...files, deleted].map(asPart) },
        { role: "user", parts: textParts("Look") },
      ];
      const played = { steps: [{ text: "{{message}}: {{files}}" }], tokenDelayMs: 0 };
      const sent: SentRequest[] = [];
      const onSent: StepRequest["onSent"] = (one) => void sent.push(one);
      const { stream, seen, received } = await start({ prompt, openFiles, onSent }, played);
      expect(reads).toBe(0);
      const got = await Array.fromAsync(stream);
      expect(got.filter(({ type }) => type === "error")).toEqual([]);
      expect(reads).toBe(files.length);
      expect(joined(got, "text")).toMatch(/^Look: /);
      expect(seen?.() ?? files.map(seenAs)).toEqual(files.map(seenAs));
      // It is told of what it sends, and where the files are in it.
      expect(sent.map(({ body }) => body)).toEqual([received?.()].flatMap((one) => one ?? []));
      for (const { body, files: found } of sent) {
        const bytes = found.map(({ start: from, end }) => {
          return Buffer.from(body.slice(from, end), "base64").toString();
        });
        expect(bytes).toEqual(files.map(({ fileId }) => fileId));
      }
    });

    it.runIf(takesFilesOfResults(name) && given.takes.length > 0)(
      "sends the files of results, beside their texts",
      async () => {
        const file = promptFile("f0", given.takes[0]!, () => {});
        const finishedCalls = ["look", "ask"].map((called, index) => {
          const call = { id: `call_0_${index}`, name: called, params: {}, step: 0 };
          return { ...call, output: called, ...(index === 0 && { files: [asPart(file)] }) };
        });
        const finishedSteps = [{ step: 0, content: "Well" }];
        const { stream, seen } = await start({ step: 1, finishedSteps, finishedCalls });
        const parts = await Array.fromAsync(stream);
        expect(parts.filter(({ type }) => type === "error")).toEqual([]);
        expect(joined(parts, "text")).toBe("Found ask.");
        const expected = [`${seenAs(file)} of a result`];
        expect(seen?.() ?? expected).toEqual(expected);
      },
    );

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
